"""The metadata documents of servers: plain JSON in, checked values out.

A document comes from the network, so it is refused when a required field is missing, has another type, or belongs to
another server. Fields that are not used here are not checked.

Source: RFC 9728 section 2, RFC 8414 section 2, RFC 9207 section 3, RFC 9449 section 5.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server_core.oauth.errors import AuthorizationFailed, short_line
from server_core.oauth.scopes import join_scopes
from server_core.oauth.urls import check_url, covers, origin

MAX_ISSUERS = 20


@dataclass(frozen=True, slots=True)
class ResourceMetadata:
    """The metadata of a protected server."""

    resource: str  # Its identifier, used in token requests.
    issuers: tuple[str, ...]  # The authorization servers whose tokens it accepts.
    scopes: tuple[str, ...] | None = None  # Those that basic use needs; None when not given.
    requires_proofs: bool = False  # Whether it accepts only tokens that are bound to a key.


@dataclass(frozen=True, slots=True)
class ServerMetadata:
    """The endpoints of an authorization server, empty for none, and what it supports, None if it does not say."""

    issuer: str
    token_endpoint: str
    authorization_endpoint: str = ""
    registration_endpoint: str = ""
    scopes: tuple[str, ...] | None = None
    grants: tuple[str, ...] | None = None
    challenge_methods: tuple[str, ...] | None = None  # Of PKCE.
    authentication: tuple[str, ...] | None = None  # The methods of client authentication.
    proof_algorithms: tuple[str, ...] = ()
    supports_metadata_documents: bool = False  # The URL of a metadata document may be a client id.
    sends_issuer: bool = False  # In authorization responses (RFC 9207).


def read_resource_metadata(document: object, url: str, server: str) -> ResourceMetadata:
    """Return the metadata of the MCP server `server`; the URL of the document is for error messages."""
    fields = _object(document, url)
    resource = check_url(fields.get("resource"), f"`resource` in {url}", server)
    if not covers(resource, server):
        raise AuthorizationFailed(f"{url} is the metadata of {short_line(resource)}, not of {server}; it is ignored.")
    issuers = _strings(fields, "authorization_servers", url) or ()
    if not issuers:
        raise AuthorizationFailed(f"{url} names no authorization server.")
    scopes = _strings(fields, "scopes_supported", url)
    return ResourceMetadata(
        resource=resource,
        issuers=tuple(check_url(item, f"An authorization server in {url}", server) for item in issuers[:MAX_ISSUERS]),
        scopes=None if scopes is None else join_scopes(scopes),
        requires_proofs=fields.get("dpop_bound_access_tokens_required") is True,
    )


def read_server_metadata(document: object, url: str, issuer: str, server: str) -> ServerMetadata:
    """Return the metadata of an authorization server, from the document at a URL.

    The document must hold the issuer identifier that led there (RFC 8414 section 3.3).
    """
    fields = _object(document, url)
    if fields.get("issuer") != issuer:
        named = short_line(fields.get("issuer"))
        raise AuthorizationFailed(f"{url} is the metadata of the issuer {named!r}, not of {issuer!r}; it is ignored.")
    scopes = _strings(fields, "scopes_supported", url)
    return ServerMetadata(
        issuer=issuer,
        token_endpoint=check_url(fields.get("token_endpoint"), f"`token_endpoint` in {url}", server),
        authorization_endpoint=_url(fields, "authorization_endpoint", url, server),
        registration_endpoint=_url(fields, "registration_endpoint", url, server),
        scopes=None if scopes is None else join_scopes(scopes),
        grants=_strings(fields, "grant_types_supported", url),
        challenge_methods=_strings(fields, "code_challenge_methods_supported", url),
        authentication=_strings(fields, "token_endpoint_auth_methods_supported", url),
        proof_algorithms=_strings(fields, "dpop_signing_alg_values_supported", url) or (),
        supports_metadata_documents=fields.get("client_id_metadata_document_supported") is True,
        sends_issuer=fields.get("authorization_response_iss_parameter_supported") is True,
    )


def default_metadata(server: str) -> ServerMetadata:
    """Return the endpoints of a server without metadata. Source: 2025-03-26, basic/authorization, section 2.3.3."""
    issuer = origin(server)
    return ServerMetadata(
        issuer=issuer,
        token_endpoint=f"{issuer}/token",
        authorization_endpoint=f"{issuer}/authorize",
        registration_endpoint=f"{issuer}/register",
        challenge_methods=("S256",),  # Required by that revision, which has no field to declare it.
    )


def _object(document: object, url: str) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise AuthorizationFailed(f"{url} is not a JSON object.")
    return document


def _url(fields: Mapping[str, Any], name: str, url: str, server: str) -> str:
    value = fields.get(name)
    return "" if value is None else check_url(value, f"`{name}` in {url}", server)


def _strings(fields: Mapping[str, Any], name: str, url: str) -> tuple[str, ...] | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise AuthorizationFailed(f"`{name}` in {url} must be a list of strings.")
    return tuple(value)
