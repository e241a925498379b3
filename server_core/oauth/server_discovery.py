"""Discovery of the authorization server: the metadata of the MCP server, then that of its authorization server.

Specification: basic/authorization/authorization-server-discovery; 2025-03-26 for servers without metadata.
"""

from dataclasses import dataclass
from typing import Any

from server_core.oauth.challenge import DPOP, Challenge
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.proofs import ALGORITHM
from server_core.oauth.server_metadata import (
    ResourceMetadata,
    ServerMetadata,
    default_metadata,
    read_resource_metadata,
    read_server_metadata,
)
from server_core.oauth.urls import origin, resource_metadata_urls, server_metadata_urls
from server_core.oauth.web import Web


@dataclass(frozen=True, slots=True)
class ProtectedResource:
    """What a token is requested for, and the authorization server that issues it."""

    identifier: str
    scopes: tuple[str, ...] | None  # Those that its basic use needs; None when not given.
    server: ServerMetadata
    binds_tokens: bool = False  # Whether tokens are to be bound to a key.


async def discover(web: Web, challenge: Challenge, preferred: str = "") -> ProtectedResource:
    """Discover the authorization server of an MCP server: of several the preferred one, if it is among them."""
    metadata = await _resource_metadata(web, challenge)
    if metadata is None:
        return ProtectedResource(web.server, None, await _server_at_same_origin(web))
    issuer = preferred if preferred in metadata.issuers else metadata.issuers[0]
    server = await _server_metadata(web, issuer)
    if server is None:
        raise AuthorizationFailed(f"{web.server} names the authorization server {issuer}, which publishes no metadata.")
    return ProtectedResource(metadata.resource, metadata.scopes, server, _binds_tokens(metadata, challenge, server))


async def _resource_metadata(web: Web, challenge: Challenge) -> ResourceMetadata | None:
    if url := challenge.resource_metadata:
        document = await web.document(url, "`resource_metadata` of the response")
        if document is None:
            raise AuthorizationFailed(f"{web.server} names {url} as its resource metadata, but there is no document.")
        return read_resource_metadata(document, url, web.server)
    for url in resource_metadata_urls(web.server):
        # Some sites respond to every URL with a page, so only a JSON object counts.
        if isinstance(document := await web.document(url, "The metadata of the server"), dict):
            return read_resource_metadata(document, url, web.server)
    return None


async def _server_metadata(web: Web, issuer: str) -> ServerMetadata | None:
    result = await _server_document(web, issuer)
    return None if result is None else read_server_metadata(result.document, result.url, issuer, web.server)


async def _server_at_same_origin(web: Web) -> ServerMetadata:
    # Up to 2025-03-26 the server's own origin issued the tokens, with or without metadata.
    own_origin = origin(web.server)
    result = await _server_document(web, own_origin)
    if result is None:
        return default_metadata(web.server)
    # The issuer is not known beforehand, so the origin may name it, but only an issuer of the same origin.
    claimed = result.document.get("issuer")
    issuer = claimed if isinstance(claimed, str) and origin(claimed) == own_origin else own_origin
    return read_server_metadata(result.document, result.url, issuer, web.server)


@dataclass(frozen=True, slots=True)
class _ServerDocument:
    url: str
    document: dict[str, Any]


async def _server_document(web: Web, issuer: str) -> _ServerDocument | None:
    for url in server_metadata_urls(issuer):
        if isinstance(document := await web.document(url, "The metadata of the authorization server"), dict):
            return _ServerDocument(url, document)
    return None


def _binds_tokens(metadata: ResourceMetadata, challenge: Challenge, server: ServerMetadata) -> bool:
    if not metadata.requires_proofs and DPOP not in challenge.schemes:
        return False
    is_supported = ALGORITHM in server.proof_algorithms
    if not is_supported and (metadata.requires_proofs or challenge.schemes == {DPOP}):
        raise AuthorizationFailed(
            f"{metadata.resource} accepts only tokens that are bound to a key, but {server.issuer} does not support"
            f" {ALGORITHM} for that."
        )
    return is_supported
