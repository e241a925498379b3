"""Servers of 2025-03-26 issue the tokens themselves; their metadata is trusted about their own origin only."""

import json

import httpx
import pytest

from server_core.oauth.challenge import Challenge
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.server_discovery import ProtectedResource, discover
from server_core.oauth.web import Web

SITE = "https://tools.example"


async def resource_of(
    issuer: object, metadata_at: str = "/.well-known/oauth-authorization-server"
) -> ProtectedResource:
    """Discover the authorization server of a server without resource metadata, which names this issuer."""

    def answer(request: httpx.Request) -> httpx.Response:
        document = json.dumps({"issuer": issuer, "token_endpoint": f"{SITE}/oauth/token"})
        is_metadata = request.url.path == metadata_at
        return httpx.Response(
            200 if is_metadata else 404, stream=httpx.ByteStream(document.encode() if is_metadata else b"")
        )

    async with Web(f"{SITE}/mcp", httpx.MockTransport(answer)) as web:
        return await discover(web, Challenge())


@pytest.mark.parametrize("issuer", [SITE, f"{SITE}/oauth"])
async def test_a_site_may_name_any_of_its_own_urls_as_the_issuer(issuer: str) -> None:
    server = (await resource_of(issuer)).server
    assert (server.issuer, server.token_endpoint) == (issuer, f"{SITE}/oauth/token")


@pytest.mark.parametrize("issuer", ["https://elsewhere.example", f"{SITE}:8443/oauth", None, 7])
async def test_a_site_cannot_publish_metadata_for_another(issuer: object) -> None:
    with pytest.raises(AuthorizationFailed, match="is the metadata of the issuer"):
        await resource_of(issuer)


async def test_a_site_without_metadata_has_the_default_endpoints_of_that_revision() -> None:
    server = (await resource_of(SITE, metadata_at="/nowhere")).server
    assert (server.issuer, server.token_endpoint) == (SITE, f"{SITE}/token")
