"""The mock service: an authorization server on the loopback interface, for development and for tests.

Rule 1: it is as strict as a real service: exact redirect URIs on this machine, PKCE with S256, codes and refresh tokens
that work once.
Rule 2: a user decides on its page, or a test with :meth:`MockService.decide`.

Source: RFC 6749, RFC 7009, RFC 7636, RFC 8628; OpenID Connect Core section 5.3.
"""

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from server_core.auth.mock import pages
from server_core.auth.mock.pages import HEADERS
from server_core.oauth.authorization_code import code_challenge
from server_core.oauth.loopback import HOST, Loopback, LoopbackRequest, Page
from server_core.oauth.urls import is_loopback

MAX_ENTRIES = 1000
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"

Form = Mapping[str, str]


@dataclass(slots=True)
class Ticket:
    """A request for authorization, and its outcome.

    Attributes:
        client_id: the client.
        name: the service that is replaced.
        scopes: the requested scopes; after the decision, the granted scopes.
        redirect_uri: the redirect URI; empty in a device flow.
        state: the `state` that the response repeats.
        challenge: the PKCE code challenge; empty in a device flow.
        user_code: the code that the user enters in a device flow.
        person: the user who consented; empty before the decision.
        lifetime: the lifetime of the tokens, in seconds.
        is_denied: whether the user declined.
    """

    client_id: str
    name: str
    scopes: tuple[str, ...]
    redirect_uri: str = ""
    state: str = ""
    challenge: str = ""
    user_code: str = ""
    person: str = ""
    lifetime: float = 3600.0
    is_denied: bool = False


@dataclass(slots=True)
class IssuedToken:
    """A token that was issued.

    Attributes:
        ticket: the request.
        expires_at: when the access token expires, in seconds since the epoch.
    """

    ticket: Ticket
    expires_at: float


class MockService:
    """An authorization server whose decisions are made by a page or a test.

    Args:
        person: the default name of the user.
        lifetime: the default lifetime of access tokens, in seconds.
        clock: returns seconds since the epoch.
    """

    def __init__(
        self, person: str = "dev@example.test", lifetime: float = 3600.0, clock: Callable[[], float] = time.time
    ) -> None:
        self.person = person
        self.lifetime = lifetime
        self.tickets: dict[str, Ticket] = {}
        """Requests without a decision."""
        self._clock = clock
        self._codes: dict[str, Ticket] = {}
        self._tokens: dict[str, IssuedToken] = {}
        self._refreshers: dict[str, Ticket] = {}
        self._loopback = Loopback(self._answer)

    async def start(self) -> None:
        """Start to listen on a free port."""
        await self._loopback.start()

    async def close(self) -> None:
        """Stop listening."""
        await self._loopback.close()

    @property
    def is_open(self) -> bool:
        """Whether it listens."""
        return bool(self._loopback.port)

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://{HOST}:{self._loopback.port}"

    def decide(
        self, ticket: str, *, allow: bool, scopes: tuple[str, ...] | None = None, person: str = "", lifetime: float = 0
    ) -> str:
        """Decide about a request as the page does, and return the redirect URL.

        Args:
            ticket: the request.
            allow: whether to grant the request.
            scopes: the scopes to grant; all by default.
            person: the name of the user.
            lifetime: the lifetime of the tokens, in seconds.

        Returns:
            The URL for the browser; empty in a device flow.
        """
        request = self.tickets.pop(ticket)
        request.is_denied = not allow
        if allow:
            request.person = person or self.person
            request.lifetime = lifetime or self.lifetime
            request.scopes = (
                request.scopes if scopes is None else tuple(scope for scope in request.scopes if scope in scopes)
            )
        if not request.redirect_uri:
            return ""
        answer = {"error": "access_denied"}
        if allow:
            code = _add(self._codes, request)
            answer = {"code": code}
        return f"{request.redirect_uri}?{urlencode({**answer, 'state': request.state}, quote_via=quote)}"

    # The pages and endpoints.

    async def _answer(self, asked: LoopbackRequest) -> Page:
        handler = _HANDLERS.get((asked.method, asked.path))
        if handler is None:
            return _message(404, "The mock service has no such page.")
        pairs = urlsplit(asked.target).query if asked.method == "GET" else asked.body.decode("latin-1")
        parsed = parse_qsl(pairs, keep_blank_values=True, max_num_fields=200)
        scopes = " ".join(value for name, value in parsed if name == "scope")
        return handler(self, {**dict(parsed), "scope": scopes}, asked.headers)

    def _authorize(self, form: Form, headers: Mapping[str, str]) -> Page:
        redirect_uri = form.get("redirect_uri", "")
        if not redirect_uri.startswith("http://") or not is_loopback(redirect_uri):
            return _message(400, "The redirect_uri must be on this machine.")
        if form.get("response_type") != "code" or form.get("code_challenge_method") != "S256":
            return _message(400, "The request needs response_type=code and code_challenge_method=S256.")
        ticket = _add(
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
        return self._consent_page(ticket)

    def _consent_page(self, ticket: str) -> Page:
        request = self.tickets[ticket]
        return _html(200, pages.consent(request.name, ticket, request.scopes, self.person, self.lifetime))

    def _decide(self, form: Form, headers: Mapping[str, str]) -> Page:
        ticket = form.get("ticket", "")
        if ticket not in self.tickets:
            return _message(400, "This request is unknown, or was already decided.")
        lifetime = form.get("lifetime", "")
        seconds = float(lifetime) if lifetime.isascii() and lifetime.isdigit() and len(lifetime) < 10 else 0.0
        place = self.decide(
            ticket,
            allow=form.get("decision") == "allow",
            scopes=_scopes(form),
            person=form.get("person", "")[:200],
            lifetime=seconds,
        )
        if not place:
            return _message(200, "Done. Return to your device.")
        return Page(303, "", headers={"Location": place})

    def _begin_device(self, form: Form, headers: Mapping[str, str]) -> Page:
        letters = "BCDFGHJKLMNPQRSTVWXZ"
        user_code = "-".join("".join(secrets.choice(letters) for _ in range(4)) for _ in range(2))
        request = Ticket(
            form.get("client_id", ""), form.get("service") or "a service", _scopes(form), user_code=user_code
        )
        return _json(
            200,
            {
                "device_code": _add(self._codes, request),
                "user_code": user_code,
                "verification_uri": f"{self.url}/device",
                "expires_in": 900,
                "interval": 1,
            },
        )

    def _device(self, form: Form, headers: Mapping[str, str]) -> Page:
        code = form.get("user_code", "").strip().upper()
        if not code:
            return _html(200, pages.device())
        request = next(
            (request for request in self._codes.values() if request.user_code == code and not request.person), None
        )
        if request is None:
            return _message(400, "No device flow has this code.")
        return self._consent_page(_add(self.tickets, request))

    def _token(self, form: Form, headers: Mapping[str, str]) -> Page:
        kind = form.get("grant_type")
        if kind == "refresh_token":
            return self._issue_tokens(self._refreshers.pop(form.get("refresh_token", ""), None), form)
        code = form.get("code" if kind == "authorization_code" else "device_code", "")
        request = self._codes.get(code)
        if kind == DEVICE_CODE and request is not None and request.user_code:
            if request.is_denied:
                return _refused("access_denied")
            if not request.person:
                return _refused("authorization_pending")
        elif request is not None and (
            form.get("redirect_uri") != request.redirect_uri
            or code_challenge(form.get("code_verifier", "?")) != request.challenge
        ):
            return _refused("invalid_grant", "The code_verifier or the redirect_uri does not match the request.")
        return self._issue_tokens(self._codes.pop(code, None), form)

    def _issue_tokens(self, request: Ticket | None, form: Form) -> Page:
        if request is None:
            return _refused("invalid_grant", "The code or refresh token is unknown, or was already used.")
        if form.get("client_id") != request.client_id:
            return _refused("invalid_client")
        access = _add(self._tokens, IssuedToken(request, self._clock() + request.lifetime), "mock-")
        refresh = _add(self._refreshers, request, "mock-refresh-")
        return _json(
            200,
            {
                "access_token": access,
                "token_type": "Bearer",
                "expires_in": request.lifetime,
                "refresh_token": refresh,
                "scope": " ".join(request.scopes),
            },
        )

    def _userinfo(self, form: Form, headers: Mapping[str, str]) -> Page:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        issued = self._tokens.get(token)
        if scheme.lower() != "bearer" or issued is None or self._clock() >= issued.expires_at:
            return _json(401, {"error": "invalid_token"})
        request = issued.ticket
        return _json(
            200,
            {"sub": request.person, "email": request.person, "service": request.name, "scopes": list(request.scopes)},
        )

    def _revoke(self, form: Form, headers: Mapping[str, str]) -> Page:
        token = form.get("token", "")
        request = self._refreshers.pop(token, None)
        revoked = [key for key, issued in self._tokens.items() if key == token or issued.ticket is request]
        for key in revoked:
            del self._tokens[key]
        return _json(200, {})


_HANDLERS: Mapping[tuple[str, str], Callable[[MockService, Form, Mapping[str, str]], Page]] = {
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


def _refused(error: str, description: str = "") -> Page:
    return _json(400, {"error": error} | ({"error_description": description} if description else {}))


def _json(status: int, value: Any) -> Page:
    return Page(status, json.dumps(value), "application/json")


def _html(status: int, text: str) -> Page:
    return Page(status, text, "text/html", HEADERS)


def _message(status: int, text: str) -> Page:
    return _html(status, pages.message_page(text))
