"""The grants: each returns the form of a token request.

Specification: basic/authorization; the extensions oauth-client-credentials, enterprise-managed-authorization and
workload-identity-federation.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from server_core.oauth.authorization_code import authorization_url, begin, check_callback
from server_core.oauth.consent import Consent
from server_core.oauth.discovery import Parties
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.registration import ClientRegistration, OAuthClient, known_client
from server_core.oauth.tokens import JWT_BEARER, read_answer
from server_core.oauth.urls import check
from server_core.oauth.web import Web

TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"


@dataclass(frozen=True, slots=True)
class GrantContext:
    """The parameters of a grant.

    Attributes:
        parties: the parties of the authorization.
        scopes: the requested scopes.
        web: sends requests on behalf of the MCP server.
        registration: the configured registration of the client.
        registered: returns the client for a redirect URI, and registers it if needed.
        known_redirect: the redirect URI of an earlier registration; empty when there is none.
    """

    parties: Parties
    scopes: tuple[str, ...]
    web: Web
    registration: ClientRegistration
    registered: Callable[[str], Awaitable[OAuthClient]]
    known_redirect: str = ""


class Grant(Protocol):
    """A way to obtain a token."""

    @property
    def asks_a_person(self) -> bool:
        """Whether a user takes part, who may consent to more scopes, and to refresh tokens."""
        ...

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        """Return the client and the form of the token request, without the client's authentication.

        Raises:
            AuthorizationFailed: when the request cannot be made.
        """
        ...


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """The user consents in a browser.

    Attributes:
        consent: how to ask the user for consent; None: there is no user to ask.
    """

    consent: Consent | None = None
    asks_a_person: bool = field(default=True, init=False)

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        """Return the client, and the form that redeems the authorization code."""
        if self.consent is None:
            raise AuthorizationFailed(
                f"{context.web.server} requires the authorization of a user;"
                f" run `workbench list --url {context.web.server}` in a terminal once, or pass"
                " credentials with --header."
            )
        server, resource = context.parties.server, context.parties.resource
        async with self.consent.visit(context.known_redirect) as visit:
            pending = begin(server, visit.redirect_uri)
            client = await context.registered(visit.redirect_uri)
            url = authorization_url(pending, client.client_id, resource, context.scopes)
            code = check_callback(await visit.authorize(url), pending)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": pending.redirect_uri,
            "code_verifier": pending.verifier,
        }
        return client, form


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """The client requests a token for itself, with its secret or its key."""

    asks_a_person: bool = field(default=False, init=False)

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        """Return the client, and the form that names the grant and the scopes only."""
        client = _known(context)
        if client.authentication == "none":
            raise AuthorizationFailed(
                f"Client {client.client_id} has neither a secret nor a key for {context.parties.server.issuer}."
            )
        return client, _scoped({"grant_type": "client_credentials"}, context.scopes)


@dataclass(frozen=True, slots=True)
class EnterpriseManaged:
    """The identity provider of an organisation decides, for a user who is logged in there.

    Attributes:
        token_endpoint: the token endpoint of the identity provider.
        client_id: the id of the client at the identity provider.
        id_token: the ID token of the user's login.
        client_secret: the secret of the client at the identity provider; empty when it has none.
    """

    token_endpoint: str
    client_id: str
    id_token: str = field(repr=False)
    client_secret: str = field(default="", repr=False)
    asks_a_person: bool = field(default=False, init=False)

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        """Return the client, and the form that presents the identity provider's assertion about the user."""
        client = _known(context)
        form = {
            "grant_type": TOKEN_EXCHANGE,
            "requested_token_type": ID_JAG,
            "audience": context.parties.server.issuer,
            "resource": context.parties.resource,
            "subject_token": self.id_token,
            "subject_token_type": ID_TOKEN,
            "client_id": self.client_id,
        }
        if self.client_secret:
            form["client_secret"] = self.client_secret
        label = "The token endpoint of the identity provider"
        url = check(self.token_endpoint, label, context.web.server)
        reply = await context.web.post(url, label, {}, data=_scoped(form, context.scopes))
        answer = read_answer(reply.status, reply.document, "The identity provider", form)
        return client, _scoped({"grant_type": JWT_BEARER, "assertion": answer.access_token}, context.scopes)


@dataclass(frozen=True, slots=True)
class WorkloadIdentity:
    """The platform that the client runs on vouches for it.

    Attributes:
        assertion: the JWT issued by the platform.
    """

    assertion: str = field(repr=False)
    asks_a_person: bool = field(default=False, init=False)

    async def prepare(self, context: GrantContext) -> tuple[OAuthClient, dict[str, str]]:
        """Return the client, and the form that presents the platform's assertion about it."""
        client = known_client(context.registration, context.parties.server) or OAuthClient("")
        return client, _scoped({"grant_type": JWT_BEARER, "assertion": self.assertion}, context.scopes)


def _known(context: GrantContext) -> OAuthClient:
    client = known_client(context.registration, context.parties.server)
    if client is None:
        raise AuthorizationFailed(
            f"{context.parties.server.issuer} requires a registered client; set its id in WORKBENCH_OAUTH_CLIENT_ID."
        )
    return client


def _scoped(form: dict[str, str], scopes: tuple[str, ...]) -> dict[str, str]:
    return form | ({"scope": " ".join(scopes)} if scopes else {})
