"""Validators that an author writes: their users, their errors and their messages."""

from typing import Any

import pytest

from server_core import MCPApp
from server_core.resource_server import (
    AuthenticationError,
    InsufficientScopeError,
    InvalidTokenError,
    JWKSTokenValidator,
    ResourceOwner,
    ResourceServerAuth,
    ResourceServerValidator,
    TokenExpiredError,
    enforce_scopes,
)
from server_core.resource_server.admission import Admission
from server_core.resource_server.owner import ASGI_OWNER_KEY
from tests.server_core.resource_server.authority import CANONICAL, ISSUER, Authority
from tests.server_core.resource_server.protected_server import ProtectedServer, serve, text
from tests.server_core.toolkit import initialize
from tests.waiting import within

pytestmark = pytest.mark.promises("resource server")


class Keys(ResourceServerValidator):
    """Takes keys that were handed out."""

    async def validate_token(self, token: str) -> ResourceOwner:
        match token:
            case "key-of-ada":
                return ResourceOwner("ada", granted_scopes=frozenset({"mcp"}))
            case "old":
                raise TokenExpiredError('It "expired"\r\nX-Evil: 1')
            case "broken":
                raise RuntimeError("the database is down")
            case "half a character":
                return ResourceOwner("a\ud800")
            case "list":
                return ResourceOwner("ada", granted_scopes=["mcp", "write"])  # type: ignore[arg-type]
            case "one text":
                return ResourceOwner("ada", granted_scopes="mcp")  # type: ignore[arg-type]
            case "number":
                return ResourceOwner(7)  # type: ignore[arg-type]  # What an author gets wrong.
            case "leaving":
                raise SystemExit(3)
            case "no owner":
                return ResourceOwner("")
            case "wrong":
                return "ada"  # type: ignore[return-value]  # What an author gets wrong.
        raise AuthenticationError("unknown")


async def test_an_author_checks_tokens_in_their_own_way() -> None:
    async with serve(ProtectedServer(Keys()), allowed_hosts="mcp.example.com") as user:
        session = await user.session("key-of-ada")
        assert text(await user.call(session, "key-of-ada", "whoami")) == "ada ['mcp']"
        refused = await user.send(initialize(), "other")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert text(await user.call(session, "list", "write")) == "written", "a list of scopes will do"
        assert (await within(user.client.get("/.well-known/oauth-protected-resource"))).status_code == 404


async def test_an_author_names_users_by_another_claim(authority: Authority) -> None:
    class ByEmail(ResourceServerAuth):
        async def validate_token(self, token: str) -> ResourceOwner:
            owner = await super().validate_token(token)
            owner.user_id = owner.email or owner.user_id
            return owner

    auth = ByEmail(
        [authority.entry()],
        CANONICAL,
        scopes_supported=[],
        default_challenge_scopes=[],
        transport=authority.transport,
    )
    async with serve(ProtectedServer(auth)) as user:
        token = authority.token(email="ada@example.com")
        assert text(await user.call(await user.session(token), token, "whoami")) == "ada@example.com ['mcp']"


async def test_messages_of_a_custom_validator_cannot_forge_a_header() -> None:
    async with serve(ProtectedServer(Keys()), allowed_hosts="mcp.example.com") as user:
        refused = await user.send(initialize(), "old")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, 'Bearer error="invalid_token"')
        assert "x-evil" not in refused.headers


@pytest.mark.parametrize("token", ["broken", "leaving", "no owner", "wrong", "half a character", "number", "one text"])
async def test_a_failing_check_admits_no_client_and_the_server_continues(token: str) -> None:
    async with serve(ProtectedServer(Keys()), allowed_hosts="mcp.example.com") as user:
        refused = await user.send(initialize(), token)
        assert refused.status_code == 500
        assert "database" not in refused.text
        assert (await user.send(initialize(), "key-of-ada")).status_code == 200


class Careless(ResourceServerValidator):
    """Has the token in the text of its exceptions."""

    async def validate_token(self, token: str) -> ResourceOwner:
        if token.startswith("raised"):
            raise InvalidTokenError(f"Unknown key {token}")
        return {}[token]  # type: ignore[no-any-return]


@pytest.mark.parametrize(("token", "status"), [("raised-7f3a", 401), ("looked-up-7f3a", 500), ("l'7f3a\\x", 500)])
async def test_messages_of_a_custom_validator_are_logged_without_the_token(
    token: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve(ProtectedServer(Careless()), allowed_hosts="mcp.example.com") as user:
        refused = await user.send(initialize(), token)
        assert refused.status_code == status
        traces = [
            refused.text,
            str(refused.headers),
            caplog.text,
            *(str(record.data) for record in user.records.all),
        ]
    assert not [trace for trace in traces if "7f3a" in trace]
    assert "<token>" in (refused.text if status == 401 else caplog.text)


def test_required_scopes_must_be_a_list() -> None:
    request = {ASGI_OWNER_KEY: ResourceOwner("ada", granted_scopes=frozenset("mcp"))}
    for required in ("mcp", ["m c"], [""]):
        with pytest.raises(ValueError, match=r"not the string|is not a scope"):
            enforce_scopes(request, required)
        with pytest.raises(ValueError, match=r"not the string|is not a scope"):
            InsufficientScopeError(required)


async def test_keys_without_metadata_challenge_without_a_url(authority: Authority) -> None:
    auth = JWKSTokenValidator(authority.jwks_uri, ISSUER, CANONICAL, "ES256", transport=authority.transport)
    async with serve(ProtectedServer(auth), allowed_hosts="mcp.example.com") as user:
        assert (await user.send(initialize())).headers["www-authenticate"] == "Bearer"
        assert (await user.send(initialize(), authority.token())).status_code == 200


def test_an_invalid_validator_is_refused_when_the_app_is_created() -> None:
    with pytest.raises(TypeError, match="must be a token validator such as ResourceServerAuth"):
        MCPApp("door", auth="secret")  # type: ignore[arg-type]  # What an author gets wrong.


def test_a_url_of_an_author_is_checked_as_well() -> None:
    class Elsewhere(Keys):
        canonical_url = "http://mcp.example.com/mcp"

        def get_resource_metadata(self) -> dict[str, Any]:
            return {"resource": self.canonical_url}

    with pytest.raises(ValueError, match="must be https"):
        Admission(Elsewhere())
