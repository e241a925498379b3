"""The edge to one service: where tokens are given, renewed and given back, and where it says who the person is.

What services do differently from the standard is told by the table of providers, and seen to here.

Source: RFC 6749 sections 4.1 and 6, RFC 7009, RFC 7636, RFC 8628.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from server_core.auth.broker.registrations import Registration
from server_core.oauth.authorization_code import code_challenge
from server_core.oauth.challenge import unite
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.registration import Authentication, OAuthClient
from server_core.oauth.tokens import Answer, authenticated, read_answer
from server_core.oauth.web import Reply, Web

if TYPE_CHECKING:
    import httpx

LONGEST_USER_INFO = 16 * 1024


def authorization_url(registration: Registration, state: str, verifier: str, scopes: tuple[str, ...]) -> str:
    """Return the address that a person's browser is sent to.

    Args:
        registration: as whom to ask.
        state: what the answer must repeat.
        verifier: what will prove that we asked.
        scopes: what is asked for.
    """
    provider = registration.provider
    query = {
        "response_type": "code",
        "client_id": registration.client_id,
        "redirect_uri": registration.redirect_uri,
        "state": state,
        **provider.parameters,
    }
    if provider.pkce:
        query |= {"code_challenge": code_challenge(verifier), "code_challenge_method": "S256"}
    if scopes:
        query[provider.scope_parameter] = provider.scope_separator.join(scopes)
    place = urlsplit(provider.authorize_url)
    joined = "&".join(filter(None, (place.query, urlencode(query, quote_via=quote))))
    return urlunsplit((place.scheme, place.netloc, place.path, joined, ""))


class Service:
    """Asks one service.

    Args:
        registration: as whom.
        transport: carries the requests; the network when not given.
    """

    def __init__(self, registration: Registration, transport: "httpx.AsyncBaseTransport | None" = None) -> None:
        self._registration = registration
        self._provider = registration.provider
        self._transport = transport

    async def redeem(self, code: str, verifier: str, redirect_uri: str) -> Answer:
        """Return what a code is worth.

        Raises:
            TokenRefused: when the service gives nothing for it.
            AuthorizationFailed: when it cannot be asked, or its answer cannot be used.
        """
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri}
        return await self._token(form | ({"code_verifier": verifier} if self._provider.pkce else {}))

    async def refresh(self, refresh_token: str) -> Answer:
        """Return a new token; see :meth:`redeem` for what it raises."""
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return await self._token(form, self._provider.refresh_url)

    async def ask(self, url: str, endpoint: str, form: Mapping[str, str]) -> Reply:
        """Send a form with the client's authentication, and return the answer as the standard would have it.

        Raises:
            AuthorizationFailed: when the service cannot be asked.
        """
        signed, authorization = authenticated(self._client, form, self._provider.name, 0.0)
        headers = {"Authorization": authorization} if authorization else {}
        body: dict[str, Any] = {self._provider.body if self._provider.body == "json" else "data": signed}
        async with self._web() as web:
            reply = await web.post(url, endpoint, headers, **body)
        document = _normalised(reply.document, self._provider.token_within)
        is_error = isinstance(document, dict) and (document.get("error") or document.get("ok") is False)
        return Reply(400 if reply.status == 200 and is_error else reply.status, reply.headers, document)

    async def user_info(self, token: str) -> dict[str, Any]:
        """Return what the service says about the person; nothing where it says nothing, or too much.

        It is of use, and not needed: what fails here fails nothing else.
        """
        provider = self._provider
        if not provider.userinfo_url:
            return {}
        headers = {
            "Accept": "application/json",
            "Authorization": f"{provider.token_scheme} {token}",
            **provider.userinfo_headers,
        }
        try:
            async with self._web() as web:
                reply = await web.send(provider.userinfo_method, provider.userinfo_url, headers)
        except AuthorizationFailed:
            return {}
        known = reply.status == 200 and isinstance(reply.document, dict)
        return reply.document if known and len(str(reply.document)) <= LONGEST_USER_INFO else {}

    async def revoke(self, token: str) -> bool:
        """Give a token back, and return whether the service knows how to take one.

        Raises:
            AuthorizationFailed: when it cannot be asked, or refuses.

        Source: RFC 7009 section 2.1.
        """
        provider = self._provider
        if not provider.revoke_url:
            return False
        endpoint = f"Where {provider.name} takes tokens back"
        if provider.revoke_by == "form":
            reply = await self.ask(provider.revoke_url, endpoint, {"token": token})
        else:
            async with self._web() as web:
                reply = await web.post(
                    provider.revoke_url, endpoint, {"Authorization": f"{provider.token_scheme} {token}"}
                )
        if reply.status >= 400:
            raise AuthorizationFailed(f"{provider.name} did not take the token back (status {reply.status}).")
        return True

    def read(self, reply: Reply, form: Mapping[str, str]) -> Answer:
        """Return what an answer of the token endpoint gives.

        Args:
            reply: the answer.
            form: what was sent, so that no message repeats its secrets.

        Raises:
            TokenRefused: when it gives nothing.
            AuthorizationFailed: when it cannot be used.
        """
        sent = {**form, "client_secret": self._registration.client_secret}
        return read_answer(reply.status, reply.document, self._provider.name, sent)

    async def _token(self, form: Mapping[str, str], url: str = "") -> Answer:
        reply = await self.ask(url or self._provider.token_url, f"The token endpoint of {self._provider.name}", form)
        return self.read(reply, form)

    def _web(self) -> Web:
        return Web(self._provider.authorize_url, self._transport)

    @property
    def _client(self) -> OAuthClient:
        registration = self._registration
        by_secret: Authentication = (
            "client_secret_basic" if self._provider.client_in == "header" else "client_secret_post"
        )
        return OAuthClient(
            registration.client_id,
            by_secret if registration.client_secret else "none",
            registration.client_secret,
        )


def is_grant_invalid(error: TokenRefused) -> bool:
    """Return whether a refusal means that a refresh token is of no use any more, and not that the service is ill."""
    return error.code not in ("", "temporarily_unavailable", "server_error")


def _normalised(document: Any, within: str) -> Any:
    """A token answer as the standard has it: at the top, with its scopes separated by blanks."""
    if not isinstance(document, dict):
        return document
    inner = document.get(within) if within else None
    merged = {**document, **inner} if isinstance(inner, dict) else dict(document)
    scope = merged.get("scope")
    if isinstance(scope, list):
        merged["scope"] = " ".join(part for part in scope if isinstance(part, str))
    elif isinstance(scope, str):
        merged["scope"] = " ".join(unite(scope.replace(",", " ").split()))
    return merged
