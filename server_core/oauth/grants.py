"""The ways to a token: each turns the parties into the form of one token request.

Specification: basic/authorization; the extensions oauth-client-credentials, enterprise-managed-authorization and
workload-identity-federation.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from server_core.oauth.authorization_code import authorization_address, begin, check_callback
from server_core.oauth.consent import Consent
from server_core.oauth.discovery import Parties
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.registration import Client, Registration, known_client
from server_core.oauth.tokens import JWT_BEARER, read_answer
from server_core.oauth.urls import check
from server_core.oauth.web import Web

TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a grant takes place.

    Attributes:
        parties: who takes part.
        scopes: what is asked for.
        web: asks on behalf of the server.
        registration: what is known about the client beforehand.
        registered: returns the client that comes back to an address, registering it where that is needed.
        known_redirect: where a client that was registered earlier comes back to; empty when there is none.
    """

    parties: Parties
    scopes: tuple[str, ...]
    web: Web
    registration: Registration
    registered: Callable[[str], Awaitable[Client]]
    known_redirect: str = ""


class Grant(Protocol):
    """A way to a token."""

    @property
    def asks_a_person(self) -> bool:
        """Whether a person takes part, who may agree to more, and to refreshing."""
        ...

    async def prepare(self, scene: Scene) -> tuple[Client, dict[str, str]]:
        """Return who asks for the token, and the form that asks for it, without the client's authentication.

        Raises:
            AuthorizationFailed: when it cannot be asked for.
        """
        ...


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """A person agrees in a browser.

    Attributes:
        consent: the way to have the person agree; None: there is nobody to ask.
    """

    consent: Consent | None = None
    asks_a_person: bool = field(default=True, init=False)

    async def prepare(self, scene: Scene) -> tuple[Client, dict[str, str]]:
        """Return the client, and the form that redeems the code which the person came back with."""
        if self.consent is None:
            raise AuthorizationFailed(
                f"{scene.web.server} wants a person to authorize this; run `workbench list --url {scene.web.server}` in"
                " a terminal once, or give it credentials with --header."
            )
        server, resource = scene.parties.server, scene.parties.resource
        async with self.consent.visit(scene.known_redirect) as visit:
            pending = begin(server, visit.redirect_uri)
            client = await scene.registered(visit.redirect_uri)
            address = authorization_address(pending, client.client_id, resource, scene.scopes)
            code = check_callback(await visit.authorize(address), pending)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": pending.redirect_uri,
            "code_verifier": pending.verifier,
        }
        return client, form


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """The client asks for itself, with its secret or its key."""

    asks_a_person: bool = field(default=False, init=False)

    async def prepare(self, scene: Scene) -> tuple[Client, dict[str, str]]:
        """Return the client, and the form that asks with nothing but its authentication."""
        client = _known(scene)
        if client.authentication == "none":
            raise AuthorizationFailed(
                f"Client {client.client_id} has no secret and no key to ask {scene.parties.server.issuer} with."
            )
        return client, _scoped({"grant_type": "client_credentials"}, scene.scopes)


@dataclass(frozen=True, slots=True)
class EnterpriseManaged:
    """The identity provider of an organisation decides, for a person who is logged in there.

    Attributes:
        token_endpoint: of the identity provider.
        client_id: under which the identity provider knows the client.
        id_token: what it gave when the person logged in.
        client_secret: what the client authenticates with there; empty when it has none.
    """

    token_endpoint: str
    client_id: str
    id_token: str = field(repr=False)
    client_secret: str = field(default="", repr=False)
    asks_a_person: bool = field(default=False, init=False)

    async def prepare(self, scene: Scene) -> tuple[Client, dict[str, str]]:
        """Return the client, and the form that presents what the identity provider says about the person."""
        client = _known(scene)
        form = {
            "grant_type": TOKEN_EXCHANGE,
            "requested_token_type": ID_JAG,
            "audience": scene.parties.server.issuer,
            "resource": scene.parties.resource,
            "subject_token": self.id_token,
            "subject_token_type": ID_TOKEN,
            "client_id": self.client_id,
        }
        if self.client_secret:
            form["client_secret"] = self.client_secret
        what = "The token endpoint of the identity provider"
        place = check(self.token_endpoint, what, scene.web.server)
        reply = await scene.web.post(place, what, {}, data=_scoped(form, scene.scopes))
        answer = read_answer(reply.status, reply.document, "The identity provider", form)
        return client, _scoped({"grant_type": JWT_BEARER, "assertion": answer.access_token}, scene.scopes)


@dataclass(frozen=True, slots=True)
class WorkloadIdentity:
    """The platform that the client runs on vouches for it.

    Attributes:
        assertion: the JWT that the platform gave.
    """

    assertion: str = field(repr=False)
    asks_a_person: bool = field(default=False, init=False)

    async def prepare(self, scene: Scene) -> tuple[Client, dict[str, str]]:
        """Return the client, and the form that presents what the platform says about it."""
        client = known_client(scene.registration, scene.parties.server) or Client("")
        return client, _scoped({"grant_type": JWT_BEARER, "assertion": self.assertion}, scene.scopes)


def _known(scene: Scene) -> Client:
    client = known_client(scene.registration, scene.parties.server)
    if client is None:
        raise AuthorizationFailed(
            f"{scene.parties.server.issuer} must know the client beforehand; give its id in WORKBENCH_OAUTH_CLIENT_ID."
        )
    return client


def _scoped(form: dict[str, str], scopes: tuple[str, ...]) -> dict[str, str]:
    return form | ({"scope": " ".join(scopes)} if scopes else {})
