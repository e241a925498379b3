"""Who gives tokens for a server: its metadata, then that of its authorization server.

Specification: basic/authorization/authorization-server-discovery; 2025-03-26 for servers without metadata.
"""

from dataclasses import dataclass
from typing import Any

from server_core.oauth.challenge import DPOP, Demand
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.metadata import (
    ResourceMetadata,
    ServerMetadata,
    default_metadata,
    read_resource_metadata,
    read_server_metadata,
)
from server_core.oauth.proofs import ALGORITHM
from server_core.oauth.urls import origin, resource_metadata_addresses, server_metadata_addresses
from server_core.oauth.web import Web


@dataclass(frozen=True, slots=True)
class Parties:
    """Who takes part in an authorization.

    Attributes:
        resource: what tokens are asked for.
        scopes: what its basic use needs; None when it does not say.
        server: who gives them.
        binds_tokens: whether they are to be bound to a key.
    """

    resource: str
    scopes: tuple[str, ...] | None
    server: ServerMetadata
    binds_tokens: bool = False


async def discover(web: Web, demand: Demand, preferred: str = "") -> Parties:
    """Return who gives tokens for a server.

    Args:
        web: asks on behalf of the server.
        demand: what its refusal said.
        preferred: the authorization server that credentials are for, among several.

    Raises:
        AuthorizationFailed: when nobody does, or a document cannot be trusted.
    """
    metadata = await _resource_metadata(web, demand)
    if metadata is None:
        return Parties(web.server, None, await _early_server(web))
    issuer = preferred if preferred in metadata.issuers else metadata.issuers[0]
    server = await _server_metadata(web, issuer)
    if server is None:
        raise AuthorizationFailed(f"{issuer} gives tokens for {web.server}, but no metadata of it can be found.")
    return Parties(metadata.resource, metadata.scopes, server, _binds(metadata, demand, server))


async def _resource_metadata(web: Web, demand: Demand) -> ResourceMetadata | None:
    if place := demand.resource_metadata:
        document = await web.document(place, "`resource_metadata` of the refusal")
        if document is None:
            raise AuthorizationFailed(f"{web.server} names {place} as its metadata, but there is none.")
        return read_resource_metadata(document, place, web.server)
    for place in resource_metadata_addresses(web.server):
        # A site may answer anything with a page, so only what is an object counts as found.
        if isinstance(document := await web.document(place, "The metadata of the server"), dict):
            return read_resource_metadata(document, place, web.server)
    return None


async def _server_metadata(web: Web, issuer: str) -> ServerMetadata | None:
    found = await _server_document(web, issuer)
    return None if found is None else read_server_metadata(found.document, found.place, issuer, web.server)


async def _early_server(web: Web) -> ServerMetadata:
    # Until 2025-03-26 the server's own site gave the tokens, with or without metadata.
    site = origin(web.server)
    found = await _server_document(web, site)
    if found is None:
        return default_metadata(web.server)
    # Nobody has said who the issuer is, so the site may: it is believed about itself, and about no other.
    claimed = found.document.get("issuer")
    issuer = claimed if isinstance(claimed, str) and origin(claimed) == site else site
    return read_server_metadata(found.document, found.place, issuer, web.server)


@dataclass(frozen=True, slots=True)
class _Found:
    place: str
    document: dict[str, Any]


async def _server_document(web: Web, issuer: str) -> _Found | None:
    for place in server_metadata_addresses(issuer):
        if isinstance(document := await web.document(place, "The metadata of the authorization server"), dict):
            return _Found(place, document)
    return None


def _binds(metadata: ResourceMetadata, demand: Demand, server: ServerMetadata) -> bool:
    if not metadata.wants_proofs and DPOP not in demand.schemes:
        return False
    able = ALGORITHM in server.proof_algorithms
    if not able and (metadata.wants_proofs or demand.schemes == {DPOP}):
        raise AuthorizationFailed(
            f"{metadata.resource} takes only tokens that are bound to a key, but {server.issuer} binds none with"
            f" {ALGORITHM}."
        )
    return able
