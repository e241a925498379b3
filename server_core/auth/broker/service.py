"""Requests to one service: for tokens, their renewal and revocation, and for information about the user.

Where a service deviates from the standard, the table of providers describes it and this module handles it.

Source: RFC 6749 sections 4.1 and 6, RFC 7009, RFC 7636, RFC 8628.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from server_core.auth.broker.registrations import Registration
from server_core.oauth.authorization_code import code_challenge
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.registration import Authentication, OAuthClient
from server_core.oauth.scopes import join_scopes
from server_core.oauth.tokens import TokenResponse, authenticate, read_token_response
from server_core.oauth.urls import with_query
from server_core.oauth.web import Web, WebResponse

if TYPE_CHECKING:
    import httpx

LONGEST_USER_INFO = 16 * 1024


def authorization_url(registration: Registration, state: str, verifier: str, scopes: tuple[str, ...]) -> str:
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
    return with_query(provider.authorize_url, query)


class Service:
    """Sends requests to one service; raises `AuthorizationFailed` where it cannot be reached."""

    def __init__(self, registration: Registration, transport: "httpx.AsyncBaseTransport | None" = None) -> None:
        self._registration = registration
        self._provider = registration.provider
        self._transport = transport

    async def redeem(self, code: str, verifier: str, redirect_uri: str) -> TokenResponse:
        """Exchange a code for tokens; raises TokenRefused where the service rejects the code."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri}
        return await self._token(form | ({"code_verifier": verifier} if self._provider.pkce else {}))

    async def refresh(self, refresh_token: str) -> TokenResponse:
        """Return a new token; raises TokenRefused where the service rejects the refresh token."""
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return await self._token(form, self._provider.refresh_url)

    async def post(self, url: str, endpoint: str, form: Mapping[str, str]) -> WebResponse:
        """Send a form with the client's authentication, and return the response in the standard form."""
        # The time is for signed assertions, which no service of the table uses.
        signed, authorization = authenticate(self._client, form, self._provider.name, 0.0)
        headers = {"Authorization": authorization} if authorization else {}
        body: dict[str, Any] = {self._provider.body if self._provider.body == "json" else "data": signed}
        async with self._web() as web:
            response = await web.post(url, endpoint, headers, **body)
        document = _normalize(response.document, self._provider.token_within)
        # Some services respond with status 200 to a request that they refuse.
        is_error = isinstance(document, dict) and (document.get("error") or document.get("ok") is False)
        return WebResponse(400 if response.status == 200 and is_error else response.status, response.headers, document)

    async def user_info(self, token: str) -> dict[str, Any]:
        """Return what the service returns about the user; empty if it returns nothing, too much, or an error."""
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
                response = await web.send(provider.userinfo_method, provider.userinfo_url, headers)
        except AuthorizationFailed:
            return {}
        is_object = response.status == 200 and isinstance(response.document, dict)
        return response.document if is_object and len(str(response.document)) <= LONGEST_USER_INFO else {}

    async def revoke(self, token: str) -> bool:
        """Revoke a token, and return whether the service supports that. Source: RFC 7009 section 2.1."""
        provider = self._provider
        if not provider.revoke_url:
            return False
        endpoint = f"The revocation endpoint of {provider.name}"
        if provider.revoke_by == "form":
            response = await self.post(provider.revoke_url, endpoint, {"token": token})
        else:
            async with self._web() as web:
                response = await web.post(
                    provider.revoke_url, endpoint, {"Authorization": f"{provider.token_scheme} {token}"}
                )
        if response.status >= 400:
            raise AuthorizationFailed(f"{provider.name} did not revoke the token (status {response.status}).")
        return True

    def read_response(self, response: WebResponse, form: Mapping[str, str]) -> TokenResponse:
        """Return a response of the token endpoint, or raise TokenRefused without the secrets of the `form` in it."""
        sent = {**form, "client_secret": self._registration.client_secret}
        return read_token_response(response.status, response.document, self._provider.name, sent)

    async def _token(self, form: Mapping[str, str], url: str = "") -> TokenResponse:
        response = await self.post(
            url or self._provider.token_url, f"The token endpoint of {self._provider.name}", form
        )
        return self.read_response(response, form)

    def _web(self) -> Web:
        return Web(self._provider.authorize_url, self._transport)

    @property
    def _client(self) -> OAuthClient:
        registration = self._registration
        method: Authentication = "client_secret_basic" if self._provider.client_in == "header" else "client_secret_post"
        secret = registration.client_secret
        return OAuthClient(registration.client_id, method if secret else "none", secret)


def is_grant_invalid(error: TokenRefused) -> bool:
    """Return whether an error means that a refresh token is invalid, and not that the service is unavailable."""
    return error.code not in ("", "temporarily_unavailable", "server_error")


def _normalize(document: Any, within: str) -> Any:
    """Return a token response in the standard form: at the top level, with scopes separated by spaces."""
    if not isinstance(document, dict):
        return document
    inner = document.get(within) if within else None
    merged = {**document, **inner} if isinstance(inner, dict) else dict(document)
    scope = merged.get("scope")
    if isinstance(scope, list):
        merged["scope"] = " ".join(part for part in scope if isinstance(part, str))
    elif isinstance(scope, str):
        merged["scope"] = " ".join(join_scopes(scope.replace(",", " ").split()))
    return merged
