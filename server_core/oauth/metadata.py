"""The metadata documents of servers: plain JSON in, checked values out.

A document comes from the network, so it is refused when a required field is missing, has another type, or belongs to
another server. Fields that are not used here are not checked.

Source: RFC 9728 section 2, RFC 8414 section 2, RFC 9207 section 3, RFC 9449 section 5.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server_core.oauth.challenge import unite
from server_core.oauth.errors import AuthorizationFailed, remark
from server_core.oauth.urls import check, covers, origin

MAX_ISSUERS = 20


@dataclass(frozen=True, slots=True)
class ResourceMetadata:
    """The metadata of a protected server.

    Attributes:
        resource: its identifier, used in token requests.
        issuers: the authorization servers whose tokens it accepts.
        scopes: the scopes that basic use needs; None when not given.
        wants_proofs: whether it accepts only tokens that are bound to a key.
    """

    resource: str
    issuers: tuple[str, ...]
    scopes: tuple[str, ...] | None = None
    wants_proofs: bool = False


@dataclass(frozen=True, slots=True)
class ServerMetadata:
    """The metadata of an authorization server.

    Attributes:
        issuer: its identifier.
        token_endpoint: the URL of the token endpoint.
        authorization_endpoint: the URL where users consent; empty when there is none.
        registration_endpoint: the URL where clients register; empty when there is none.
        scopes: the supported scopes; None when not given.
        grants: the supported grants; None when not given.
        challenge_methods: the supported PKCE methods; None when not given.
        authentication: the supported methods of client authentication; None when not given.
        proof_algorithms: the supported algorithms for proofs of possession; empty when there are none.
        takes_metadata_documents: whether the URL of a metadata document may be a client id.
        sends_issuer: whether its authorization responses name the issuer.
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


def read_resource_metadata(document: object, url: str, server: str) -> ResourceMetadata:
    """Return the metadata of a protected server.

    Args:
        document: the JSON.
        url: the URL of the document, for error messages.
        server: the MCP server that is to be used.

    Raises:
        AuthorizationFailed: when the document is about another server, or invalid.
    """
    fields = _object(document, url)
    resource = check(fields.get("resource"), f"`resource` in {url}", server)
    if not covers(resource, server):
        raise AuthorizationFailed(f"{url} is the metadata of {remark(resource)}, not of {server}; it is ignored.")
    issuers = _strings(fields, "authorization_servers", url) or ()
    if not issuers:
        raise AuthorizationFailed(f"{url} names no authorization server.")
    scopes = _strings(fields, "scopes_supported", url)
    return ResourceMetadata(
        resource=resource,
        issuers=tuple(check(item, f"An authorization server in {url}", server) for item in issuers[:MAX_ISSUERS]),
        scopes=None if scopes is None else unite(scopes),
        wants_proofs=fields.get("dpop_bound_access_tokens_required") is True,
    )


def read_server_metadata(document: object, url: str, issuer: str, server: str) -> ServerMetadata:
    """Return the metadata of an authorization server.

    Args:
        document: the JSON.
        url: the URL of the document, for error messages.
        issuer: the issuer identifier that led there; the document must hold the same.
        server: the MCP server that is to be used.

    Raises:
        AuthorizationFailed: when the document is about another issuer, or invalid.

    Source: RFC 8414 section 3.3.
    """
    fields = _object(document, url)
    if fields.get("issuer") != issuer:
        raise AuthorizationFailed(
            f"{url} is the metadata of the issuer {remark(fields.get('issuer'))!r}, not of {issuer!r}; it is ignored."
        )
    scopes = _strings(fields, "scopes_supported", url)
    return ServerMetadata(
        issuer=issuer,
        token_endpoint=check(fields.get("token_endpoint"), f"`token_endpoint` in {url}", server),
        authorization_endpoint=_url(fields, "authorization_endpoint", url, server),
        registration_endpoint=_url(fields, "registration_endpoint", url, server),
        scopes=None if scopes is None else unite(scopes),
        grants=_strings(fields, "grant_types_supported", url),
        challenge_methods=_strings(fields, "code_challenge_methods_supported", url),
        authentication=_strings(fields, "token_endpoint_auth_methods_supported", url),
        proof_algorithms=_strings(fields, "dpop_signing_alg_values_supported", url) or (),
        takes_metadata_documents=fields.get("client_id_metadata_document_supported") is True,
        sends_issuer=fields.get("authorization_response_iss_parameter_supported") is True,
    )


def default_metadata(server: str) -> ServerMetadata:
    """Return the default endpoints of a server of revision 2025-03-26 that has no metadata.

    Source: specification 2025-03-26, basic/authorization, section 2.3.3.
    """
    site = origin(server)
    return ServerMetadata(
        issuer=site,
        token_endpoint=f"{site}/token",
        authorization_endpoint=f"{site}/authorize",
        registration_endpoint=f"{site}/register",
        challenge_methods=("S256",),  # Required by that revision, which has no field to declare it.
    )


def _object(document: object, url: str) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise AuthorizationFailed(f"{url} is not a JSON object.")
    return document


def _url(fields: Mapping[str, Any], name: str, url: str, server: str) -> str:
    value = fields.get(name)
    return "" if value is None else check(value, f"`{name}` in {url}", server)


def _strings(fields: Mapping[str, Any], name: str, url: str) -> tuple[str, ...] | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise AuthorizationFailed(f"`{name}` in {url} must be a list of strings.")
    return tuple(value)
