"""The mock service: an authorization server on the loopback interface, for development and for tests.

Rule 1: it is as strict as a real service: exact redirect URIs on this machine, PKCE with S256, codes and refresh tokens
that work once.
Rule 2: a user decides on its page, or a test with :meth:`MockService.decide`.

Source: RFC 6749, RFC 7009, RFC 7636, RFC 8628; OpenID Connect Core section 5.3.
"""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from server_core.auth.mock import mock_pages
from server_core.oauth.authorization_code import code_challenge
from server_core.oauth.loopback import HOST, LoopbackRequest, LoopbackResponse, LoopbackServer
from server_core.oauth.urls import is_loopback

MAX_ENTRIES = 1000
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"

Form = Mapping[str, str]


@dataclass(slots=True)
class Ticket:
    """A request for authorization, and its outcome."""

    client_id: str
    name: str  # The service that is replaced.
    scopes: tuple[str, ...]  # The requested scopes; after the decision, the granted scopes.
    redirect_uri: str = ""  # Empty in a device flow, like the next two.
    state: str = ""
    challenge: str = ""  # The PKCE code challenge.
    user_code: str = ""  # Of a device flow.
    person: str = ""  # The user who consented; empty before the decision.
    lifetime: float = 3600.0  # Of the tokens, in seconds.
    is_denied: bool = False


@dataclass(slots=True)
class IssuedToken:
    """An access token that was issued."""

    ticket: Ticket
    expires_at: float  # In seconds since the epoch.


class MockService:
    """An authorization server whose decisions are made by a page or a test, for a person and a lifetime in seconds."""

    def __init__(
        self, person: str = "dev@example.test", lifetime: float = 3600.0, clock: Callable[[], float] = time.time
    ) -> None:
        self.person = person
        self.lifetime = lifetime
        self.tickets: dict[str, Ticket] = {}
        """Requests without a decision."""
        self._clock = clock
        self._codes: dict[str, Ticket] = {}
        self._access_tokens: dict[str, IssuedToken] = {}
        self._refresh_tokens: dict[str, Ticket] = {}
        self._loopback = LoopbackServer(self._answer)

    async def start(self) -> None:
        await self._loopback.start()

    async def close(self) -> None:
        await self._loopback.close()

    @property
    def is_open(self) -> bool:
        return bool(self._loopback.port)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._loopback.port}"

    def decide(
        self,
        ticket_id: str,
        *,
        allow: bool,
        scopes: tuple[str, ...] | None = None,
        person: str = "",
        lifetime: float = 0,
    ) -> str:
        """Decide about a request as the page does, by default all of it, and return the redirect URL, if any."""
        ticket = self.tickets.pop(ticket_id)
        ticket.is_denied = not allow
        if allow:
            ticket.person = person or self.person
            ticket.lifetime = lifetime or self.lifetime
            ticket.scopes = (
                ticket.scopes if scopes is None else tuple(scope for scope in ticket.scopes if scope in scopes)
            )
        if not ticket.redirect_uri:
            return ""
        answer = {"code": _add(self._codes, ticket)} if allow else {"error": "access_denied"}
        return f"{ticket.redirect_uri}?{urlencode({**answer, 'state': ticket.state}, quote_via=quote)}"

    # The pages and endpoints.

    async def _answer(self, request: LoopbackRequest) -> LoopbackResponse:
        handler = _HANDLERS.get((request.method, request.path))
        if handler is None:
            return mock_pages.message(404, "The mock service has no such page.")
        pairs = urlsplit(request.target).query if request.method == "GET" else request.body.decode("latin-1")
        parsed = parse_qsl(pairs, keep_blank_values=True, max_num_fields=200)
        scopes = " ".join(value for name, value in parsed if name == "scope")
        return handler(self, {**dict(parsed), "scope": scopes}, request.headers)

    def _authorize(self, form: Form, headers: Mapping[str, str]) -> LoopbackResponse:
        redirect_uri = form.get("redirect_uri", "")
        if not redirect_uri.startswith("http://") or not is_loopback(redirect_uri):
            return mock_pages.message(400, "The redirect_uri must be on this machine.")
        if form.get("response_type") != "code" or form.get("code_challenge_method") != "S256":
            return mock_pages.message(400, "The request needs response_type=code and code_challenge_method=S256.")
        ticket_id = _add(
            self.tickets,
            Ticket(
                form.get("client_id", ""),
                form.get("service") or "a service",
                _scopes(form),
                redirect_uri,
                form.get("state", ""),
                form.get("code_challenge", ""),
            ),
        )
        return self._consent_page(ticket_id)

    def _consent_page(self, ticket_id: str) -> LoopbackResponse:
        ticket = self.tickets[ticket_id]
        return mock_pages.consent(ticket.name, ticket_id, ticket.scopes, self.person, self.lifetime)

    def _decide(self, form: Form, headers: Mapping[str, str]) -> LoopbackResponse:
        ticket_id = form.get("ticket", "")
        if ticket_id not in self.tickets:
            return mock_pages.message(400, "This request is unknown, or was already decided.")
        lifetime = form.get("lifetime", "")
        seconds = float(lifetime) if lifetime.isascii() and lifetime.isdigit() and len(lifetime) < 10 else 0.0
        url = self.decide(
            ticket_id,
            allow=form.get("decision") == "allow",
            scopes=_scopes(form),
            person=form.get("person", "")[:200],
            lifetime=seconds,
        )
        if not url:
            return mock_pages.message(200, "Done. Return to your device.")
        return LoopbackResponse(303, "", headers={"Location": url})

    def _begin_device(self, form: Form, headers: Mapping[str, str]) -> LoopbackResponse:
        letters = "BCDFGHJKLMNPQRSTVWXZ"  # RFC 8628 section 6.1: without vowels, so that it forms no words.
        user_code = "-".join("".join(secrets.choice(letters) for _ in range(4)) for _ in range(2))
        ticket = Ticket(
            form.get("client_id", ""), form.get("service") or "a service", _scopes(form), user_code=user_code
        )
        return mock_pages.json_response(
            200,
            {
                "device_code": _add(self._codes, ticket),
                "user_code": user_code,
                "verification_uri": f"{self.url}/device",
                "expires_in": 900,
                "interval": 1,
            },
        )

    def _device(self, form: Form, headers: Mapping[str, str]) -> LoopbackResponse:
        code = form.get("user_code", "").strip().upper()
        if not code:
            return mock_pages.device()
        ticket = next(
            (ticket for ticket in self._codes.values() if ticket.user_code == code and not ticket.person), None
        )
        if ticket is None:
            return mock_pages.message(400, "No device flow has this code.")
        return self._consent_page(_add(self.tickets, ticket))

    def _token(self, form: Form, headers: Mapping[str, str]) -> LoopbackResponse:
        grant_type = form.get("grant_type")
        if grant_type == "refresh_token":
            return self._issue_tokens(self._refresh_tokens.pop(form.get("refresh_token", ""), None), form)
        code = form.get("code" if grant_type == "authorization_code" else "device_code", "")
        ticket = self._codes.get(code)
        if grant_type == DEVICE_CODE and ticket is not None and ticket.user_code:
            if ticket.is_denied:
                return mock_pages.refusal("access_denied")
            if not ticket.person:
                return mock_pages.refusal("authorization_pending")
        elif ticket is not None and (
            form.get("redirect_uri") != ticket.redirect_uri
            or code_challenge(form.get("code_verifier", "?")) != ticket.challenge
        ):
            return mock_pages.refusal(
                "invalid_grant", "The code_verifier or the redirect_uri does not match the request."
            )
        return self._issue_tokens(self._codes.pop(code, None), form)

    def _issue_tokens(self, ticket: Ticket | None, form: Form) -> LoopbackResponse:
        if ticket is None:
            return mock_pages.refusal("invalid_grant", "The code or refresh token is unknown, or was already used.")
        if form.get("client_id") != ticket.client_id:
            return mock_pages.refusal("invalid_client")
        access = _add(self._access_tokens, IssuedToken(ticket, self._clock() + ticket.lifetime), "mock-")
        refresh = _add(self._refresh_tokens, ticket, "mock-refresh-")
        return mock_pages.json_response(
            200,
            {
                "access_token": access,
                "token_type": "Bearer",
                "expires_in": ticket.lifetime,
                "refresh_token": refresh,
                "scope": " ".join(ticket.scopes),
            },
        )

    def _userinfo(self, form: Form, headers: Mapping[str, str]) -> LoopbackResponse:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        issued = self._access_tokens.get(token)
        if scheme.lower() != "bearer" or issued is None or self._clock() >= issued.expires_at:
            return mock_pages.json_response(401, {"error": "invalid_token"})
        ticket = issued.ticket
        return mock_pages.json_response(
            200,
            {"sub": ticket.person, "email": ticket.person, "service": ticket.name, "scopes": list(ticket.scopes)},
        )

    def _revoke(self, form: Form, headers: Mapping[str, str]) -> LoopbackResponse:
        token = form.get("token", "")
        ticket = self._refresh_tokens.pop(token, None)
        revoked = [key for key, issued in self._access_tokens.items() if key == token or issued.ticket is ticket]
        for key in revoked:
            del self._access_tokens[key]
        return mock_pages.json_response(200, {})


_HANDLERS: Mapping[tuple[str, str], Callable[[MockService, Form, Mapping[str, str]], LoopbackResponse]] = {
    ("GET", "/authorize"): MockService._authorize,
    ("POST", "/decide"): MockService._decide,
    ("POST", "/device_authorization"): MockService._begin_device,
    ("GET", "/device"): MockService._device,
    ("POST", "/token"): MockService._token,
    ("GET", "/userinfo"): MockService._userinfo,
    ("POST", "/revoke"): MockService._revoke,
}


def _add(entries: dict[str, Any], value: object, prefix: str = "") -> str:
    """Store a value under a new secret name, and drop the oldest when there are too many."""
    while len(entries) >= MAX_ENTRIES:
        del entries[next(iter(entries))]
    name = prefix + secrets.token_urlsafe(24)
    entries[name] = value
    return name


def _scopes(form: Form) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form.get("scope", "").replace(",", " ").split()))
