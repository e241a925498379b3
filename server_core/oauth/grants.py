"""The grants: each returns the form of a token request; the authorization code also asks the user for consent.

Specification: basic/authorization; the extensions oauth-client-credentials, enterprise-managed-authorization and
workload-identity-federation.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from server_core.oauth.authorization_code import authorization_url, code_of_redirect, new_authorization_request
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.registration import ClientRegistration, OAuthClient, configured_client
from server_core.oauth.server_discovery import ProtectedResource
from server_core.oauth.tokens import JWT_BEARER, read_token_response
from server_core.oauth.urls import check_url
from server_core.oauth.web import Web

TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"


class RedirectListener(Protocol):
    """Receives a single redirect of the user's browser."""

    @property
    def redirect_uri(self) -> str: ...

    async def authorize(self, url: str) -> Mapping[str, str]:
        """Send the user to a URL and return the query of the redirect; AuthorizationFailed if none arrives in time."""
        ...


class UserConsent(Protocol):
    """A way to ask the user for consent; `browser.Browser` implements it with a browser."""

    def listen(self, earlier_redirect_uri: str = "") -> AbstractAsyncContextManager[RedirectListener]:
        """Listen for a redirect, for as long as the context lasts, at an earlier URI if possible.

        AuthorizationFailed when the configured redirect URI cannot be used.
        """
        ...


@dataclass(frozen=True, slots=True)
class GrantContext:
    """The parameters of a grant."""

    resource: ProtectedResource
    scopes: tuple[str, ...]
    web: Web
    registration: ClientRegistration
    client_for: Callable[[str], Awaitable[OAuthClient]]  # Returns the client for a redirect URI; may register it.
    earlier_redirect_uri: str = ""  # Of an earlier registration.


class Grant(Protocol):
    """A way to obtain a token."""

    @property
    def involves_user(self) -> bool:
        """Whether a user is asked, who may consent to more scopes, and to refresh tokens."""
        ...

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        """Return the client and the unauthenticated form of the token request; AuthorizationFailed if that fails."""
        ...


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """The user consents in a browser."""

    consent: UserConsent | None = None  # None: there is no user to ask.
    involves_user: bool = field(default=True, init=False)

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        if self.consent is None:
            raise AuthorizationFailed(
                f"{context.web.server} requires the authorization of a user;"
                f" run `workbench list --url {context.web.server}` in a terminal once, or pass"
                " credentials with --header."
            )
        async with self.consent.listen(context.earlier_redirect_uri) as listener:
            request = new_authorization_request(context.resource.server, listener.redirect_uri)
            client = await context.client_for(listener.redirect_uri)
            url = authorization_url(request, client.client_id, context.resource.identifier, context.scopes)
            code = code_of_redirect(await listener.authorize(url), request)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": request.redirect_uri,
            "code_verifier": request.verifier,
        }
        return client, form


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """The client requests a token for itself, with its secret or its key."""

    involves_user: bool = field(default=False, init=False)

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        client = _configured_client(context)
        if client.authentication == "none":
            raise AuthorizationFailed(
                f"Client {client.client_id} has neither a secret nor a key for {context.resource.server.issuer}."
            )
        return client, _with_scopes({"grant_type": "client_credentials"}, context.scopes)


@dataclass(frozen=True, slots=True)
class EnterpriseManaged:
    """The identity provider of an organisation decides, for a user who is logged in there."""

    # All of them are those of the identity provider, not of the authorization server.
    token_endpoint: str
    client_id: str
    id_token: str = field(repr=False)
    client_secret: str = field(default="", repr=False)
    involves_user: bool = field(default=False, init=False)

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        client = _configured_client(context)
        form = {
            "grant_type": TOKEN_EXCHANGE,
            "requested_token_type": ID_JAG,
            "audience": context.resource.server.issuer,
            "resource": context.resource.identifier,
            "subject_token": self.id_token,
            "subject_token_type": ID_TOKEN,
            "client_id": self.client_id,
        }
        if self.client_secret:
            form["client_secret"] = self.client_secret
        label = "The token endpoint of the identity provider"
        url = check_url(self.token_endpoint, label, context.web.server)
        response = await context.web.post(url, label, {}, data=_with_scopes(form, context.scopes))
        assertion = read_token_response(response.status, response.document, "The identity provider", form)
        # RFC 8693 section 2.2.1: `access_token` also carries tokens of other types; here it is the assertion.
        return client, _with_scopes({"grant_type": JWT_BEARER, "assertion": assertion.access_token}, context.scopes)


@dataclass(frozen=True, slots=True)
class WorkloadIdentity:
    """The platform that the client runs on vouches for it."""

    assertion: str = field(repr=False)  # The JWT issued by the platform.
    involves_user: bool = field(default=False, init=False)

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        client = configured_client(context.registration, context.resource.server) or OAuthClient("")
        return client, _with_scopes({"grant_type": JWT_BEARER, "assertion": self.assertion}, context.scopes)


def _configured_client(context: GrantContext) -> OAuthClient:
    client = configured_client(context.registration, context.resource.server)
    if client is None:
        raise AuthorizationFailed(
            f"{context.resource.server.issuer} requires a registered client; set its id in WORKBENCH_OAUTH_CLIENT_ID."
        )
    return client


def _with_scopes(form: dict[str, str], scopes: tuple[str, ...]) -> dict[str, str]:
    return form | ({"scope": " ".join(scopes)} if scopes else {})
