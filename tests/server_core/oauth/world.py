"""A protected server and its authorization server, in this process; tests change their behaviour."""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, urlencode

import httpx

from server_core.oauth.client import OAuthAuthorization
from server_core.oauth.grants import AuthorizationCode
from server_core.protocol import jsonrpc
from server_core.transports.http_client.http_client import HttpChannel
from tests.server_core.oauth.redirects import Redirects
from tests.server_core.toolkit import initialize
from tests.waiting import within

SERVER = "https://mcp.test/mcp"
ISSUER = "https://as.test"
METADATA = "https://mcp.test/.well-known/oauth-protected-resource/mcp"
SERVER_METADATA = "https://as.test/.well-known/oauth-authorization-server"
CALLBACK = "http://localhost:3000/callback"

RESULT = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}


@dataclass
class Request:
    """A request that a server of the world received."""

    method: str
    url: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        """Its body, as a form."""
        return dict(parse_qsl(self.body.decode()))


@dataclass
class Reply:
    """The response of a server of the world."""

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)


Handler: TypeAlias = Callable[[Request], Reply]


class World:
    """All the servers; an ASGI application."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.challenge = f'Bearer resource_metadata="{METADATA}"'
        self.resource_metadata: dict[str, Any] = {"resource": SERVER, "authorization_servers": [ISSUER]}
        self.server_metadata: dict[str, Any] = server_metadata(ISSUER)
        self.required_scopes: set[str] = set()
        self.lifetime = 3600
        self.issues_refresh_tokens = False
        self.redirect_changes: dict[str, str | None] = {"iss": ISSUER}
        """Changes to the parameters of the redirect; None removes a parameter."""
        self.tokens: dict[str, set[str]] = {}
        self.handlers: dict[str, Reply | Handler] = {
            METADATA: lambda _: Reply(body=self.resource_metadata),
            SERVER_METADATA: lambda _: Reply(body=self.server_metadata),
            SERVER: self.serve,
            f"{ISSUER}/authorize": self.authorize,
            f"{ISSUER}/token": self.token,
            f"{ISSUER}/register": self.register,
        }
        """URL without query -> its response or handler; all other URLs are 404."""
        self._challenges: dict[str, tuple[str, str]] = {}

    def transport(self) -> httpx.ASGITransport:
        """Return a transport to the servers of this world."""
        return httpx.ASGITransport(self)

    def oauth(self, **given: Any) -> OAuthAuthorization:
        """Return a client in this world, whose user consents to everything."""
        given = {"grant": AuthorizationCode(Redirects(CALLBACK, self.transport()))} | given
        return OAuthAuthorization(SERVER, transport=self.transport(), **given)

    def requests_to(self, url: str) -> list[Request]:
        """Return the requests to a URL."""
        return [request for request in self.requests if request.url == url]

    @property
    def authorization_requests(self) -> list[Request]:
        """The authorization requests."""
        return self.requests_to(f"{ISSUER}/authorize")

    @property
    def token_requests(self) -> list[Request]:
        """The token requests."""
        return self.requests_to(f"{ISSUER}/token")

    def serve(self, request: Request) -> Reply:
        """Answer as the protected server."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() not in ("bearer", "dpop") or token not in self.tokens:
            return Reply(401, headers={"www-authenticate": self.challenge})
        if missing := self.required_scopes - self.tokens[token]:
            scope = " ".join(sorted(missing))
            challenge = f'Bearer error="insufficient_scope", scope="{scope}", resource_metadata="{METADATA}"'
            return Reply(403, headers={"www-authenticate": challenge})
        message = jsonrpc.parse(request.body) if request.body else None
        if not isinstance(message, jsonrpc.Request):
            return Reply(405 if request.method == "GET" else 202)
        return Reply(body=json.loads(jsonrpc.response(message.id, RESULT)))

    def authorize(self, request: Request) -> Reply:
        """Answer as the authorization server, whose user consents."""
        asked = request.query
        code = f"code-{len(self.authorization_requests)}"
        self._challenges[code] = asked["code_challenge"], asked.get("scope", "")
        back = {"code": code, "state": asked["state"]} | self.redirect_changes
        query = urlencode({name: value for name, value in back.items() if value is not None}, quote_via=quote)
        return Reply(302, headers={"location": f"{asked['redirect_uri']}?{query}"})

    def token(self, request: Request) -> Reply:
        """Answer as the token endpoint."""
        form = request.form
        scope = form.get("scope", "")
        if form["grant_type"] == "authorization_code":
            challenge, scope = self._challenges.pop(form["code"], ("", ""))
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != challenge:
                return Reply(400, {"error": "invalid_grant"})
        token = f"token-{len(self.token_requests)}"
        self.tokens[token] = set(scope.split())
        given: dict[str, Any] = {"access_token": token, "token_type": "Bearer", "expires_in": self.lifetime}
        if self.issues_refresh_tokens:
            given["refresh_token"] = f"refresh-{len(self.token_requests)}"
        return Reply(body=given)

    def register(self, request: Request) -> Reply:
        """Answer as the registration endpoint."""
        return Reply(201, {"client_id": f"client-{len(self.requests_to(request.url))}", **json.loads(request.body)})

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request over ASGI."""
        body, more = b"", True
        while more:
            event = await receive()
            body, more = body + event.get("body", b""), event.get("more_body", False)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        url = f"{scope['scheme']}://{headers['host']}{scope['path']}"
        query = dict(parse_qsl(scope["query_string"].decode()))
        request = Request(scope["method"], url, query, headers, body)
        self.requests.append(request)
        reply_or_handler = self.handlers.get(url, Reply(404))
        reply = reply_or_handler(request) if callable(reply_or_handler) else reply_or_handler
        await _answer(reply, send)


def server_metadata(issuer: str, **others: Any) -> dict[str, Any]:
    """Return the metadata of an authorization server."""
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "registration_endpoint": f"{issuer}/register",
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": True,
        **others,
    }


async def use(world: World, oauth: OAuthAuthorization) -> Any:
    """Send a request to the protected server, over the real transport, and return the result.

    Raises:
        ConnectionFailed: when it is refused.
    """
    channel = HttpChannel(SERVER, transport=world.transport(), authorization=oauth)
    try:
        await within(channel.send(initialize()))
        answer = await within(channel.receive())
        assert answer is not None
        message = jsonrpc.parse(answer)
        assert isinstance(message, jsonrpc.Response)
        return message.result
    finally:
        await within(channel.close())


async def _answer(reply: Reply, send: Any) -> None:
    is_bytes = isinstance(reply.body, bytes)
    headers: Mapping[str, str] = {"content-type": "text/plain" if is_bytes else "application/json"} | reply.headers
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    body = reply.body if is_bytes else json.dumps(reply.body).encode()
    await send({"type": "http.response.start", "status": reply.status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
