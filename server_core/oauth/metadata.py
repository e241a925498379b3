"""The documents of servers about themselves: plain JSON in, checked values out.

A document comes from the network, so it is refused when what it must say is missing, has another type, or speaks of
somebody else. Fields that nothing here uses are not looked at.

Source: RFC 9728 section 2, RFC 8414 section 2, RFC 9207 section 3, RFC 9449 section 5.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server_core.oauth.challenge import unite
from server_core.oauth.errors import AuthorizationFailed, remark
from server_core.oauth.urls import check, covers, origin

MOST_ISSUERS = 20


@dataclass(frozen=True, slots=True)
class ResourceMetadata:
    """What a protected server says about itself.

    Attributes:
        resource: its identifier, as tokens are asked for.
        issuers: the authorization servers whose tokens it takes.
        scopes: what is needed for its basic use; None when it does not say.
        wants_proofs: whether it takes only tokens that are bound to a key.
    """

    resource: str
    issuers: tuple[str, ...]
    scopes: tuple[str, ...] | None = None
    wants_proofs: bool = False


@dataclass(frozen=True, slots=True)
class ServerMetadata:
    """What an authorization server says about itself.

    Attributes:
        issuer: its identifier.
        token_endpoint: where tokens are asked for.
        authorization_endpoint: where people agree; empty when there is none.
        registration_endpoint: where clients register; empty when they cannot.
        scopes: the scopes that it knows; None when it does not say.
        grants: the grants that it serves; None when it does not say.
        challenge_methods: the ways of PKCE that it checks; None when it does not say.
        authentication: how clients may authenticate; None when it does not say.
        proof_algorithms: with what proofs of possession may be signed; empty when it takes none.
        takes_metadata_documents: whether the address of a document may be a client's id.
        sends_issuer: whether its answers to authorization requests name it.
    """

    issuer: str
    token_endpoint: str
    authorization_endpoint: str = ""
    registration_endpoint: str = ""
    scopes: tuple[str, ...] | None = None
    grants: tuple[str, ...] | None = None
    challenge_methods: tuple[str, ...] | None = None
    authentication: tuple[str, ...] | None = None
    proof_algorithms: tuple[str, ...] = ()
    takes_metadata_documents: bool = False
    sends_issuer: bool = False


def read_resource_metadata(document: object, place: str, server: str) -> ResourceMetadata:
    """Return what a protected server says about itself.

    Args:
        document: the JSON.
        place: where it was found, for messages.
        server: the server that is to be used.

    Raises:
        AuthorizationFailed: when it is about another server, or cannot be used.
    """
    fields = _object(document, place)
    resource = check(fields.get("resource"), f"`resource` in {place}", server)
    if not covers(resource, server):
        raise AuthorizationFailed(f"{place} speaks of {remark(resource)}, not of {server}; no token is asked for it.")
    issuers = _texts(fields, "authorization_servers", place) or ()
    if not issuers:
        raise AuthorizationFailed(f"{place} names no authorization server.")
    scopes = _texts(fields, "scopes_supported", place)
    return ResourceMetadata(
        resource=resource,
        issuers=tuple(check(one, f"An authorization server in {place}", server) for one in issuers[:MOST_ISSUERS]),
        scopes=None if scopes is None else unite(scopes),
        wants_proofs=fields.get("dpop_bound_access_tokens_required") is True,
    )


def read_server_metadata(document: object, place: str, issuer: str, server: str) -> ServerMetadata:
    """Return what an authorization server says about itself.

    Args:
        document: the JSON.
        place: where it was found, for messages.
        issuer: the identifier that led there, which must be the one in the document.
        server: the server that is to be used.

    Raises:
        AuthorizationFailed: when it is about another issuer, or cannot be used.

    Source: RFC 8414 section 3.3.
    """
    fields = _object(document, place)
    if fields.get("issuer") != issuer:
        raise AuthorizationFailed(
            f"{place} is about the issuer {remark(fields.get('issuer'))!r}, not about {issuer!r}; it is not used."
        )
    scopes = _texts(fields, "scopes_supported", place)
    return ServerMetadata(
        issuer=issuer,
        token_endpoint=check(fields.get("token_endpoint"), f"`token_endpoint` in {place}", server),
        authorization_endpoint=_address(fields, "authorization_endpoint", place, server),
        registration_endpoint=_address(fields, "registration_endpoint", place, server),
        scopes=None if scopes is None else unite(scopes),
        grants=_texts(fields, "grant_types_supported", place),
        challenge_methods=_texts(fields, "code_challenge_methods_supported", place),
        authentication=_texts(fields, "token_endpoint_auth_methods_supported", place),
        proof_algorithms=_texts(fields, "dpop_signing_alg_values_supported", place) or (),
        takes_metadata_documents=fields.get("client_id_metadata_document_supported") is True,
        sends_issuer=fields.get("authorization_response_iss_parameter_supported") is True,
    )


def default_metadata(server: str) -> ServerMetadata:
    """Return where a server of the revision 2025-03-26 serves OAuth itself when it has no metadata.

    Source: specification 2025-03-26, basic/authorization, section 2.3.3.
    """
    site = origin(server)
    return ServerMetadata(
        issuer=site,
        token_endpoint=f"{site}/token",
        authorization_endpoint=f"{site}/authorize",
        registration_endpoint=f"{site}/register",
        challenge_methods=("S256",),  # That revision obliges servers to check it, and gives them no way to say so.
    )


def _object(document: object, place: str) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise AuthorizationFailed(f"{place} holds no JSON object.")
    return document


def _address(fields: Mapping[str, Any], name: str, place: str, server: str) -> str:
    value = fields.get(name)
    return "" if value is None else check(value, f"`{name}` in {place}", server)


def _texts(fields: Mapping[str, Any], name: str, place: str) -> tuple[str, ...] | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise AuthorizationFailed(f"`{name}` in {place} must be a list of texts.")
    return tuple(value)
