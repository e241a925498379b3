"""Parses the `WWW-Authenticate` header of a 401 or 403 response.

The header is not trusted: invalid parts are skipped, and its length is limited.

Source: RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 9449 sections 7.1 and 9, RFC 9728 section 5.1.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from server_core.oauth.scopes import parse_scopes

LONGEST_HEADER = 16 * 1024
BEARER, DPOP = "bearer", "dpop"

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PARAMETER = re.compile(
    rf"({_TOKEN})[ \t]*=[ \t]*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s,\"]+))"
)  # Some servers send unquoted URLs.
_SCHEME = re.compile(rf"({_TOKEN})(?=[ \t]|,|$)")
_TOKEN68 = re.compile(r"[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))")


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a 401 or 403 response requires; what it does not name is empty."""

    schemes: frozenset[str] = frozenset()  # In lower case.
    resource_metadata: str = ""  # The URL of the document.
    scopes: tuple[str, ...] = ()  # Those that the request needs.
    error: str = ""  # Such as `insufficient_scope`.
    nonce: str = ""  # For the next proof of possession.

    @property
    def is_for_oauth(self) -> bool:
        """Whether a token may satisfy the server."""
        return not self.schemes or bool(self.schemes & {BEARER, DPOP})


def read_challenge(headers: Mapping[str, str]) -> Challenge:
    """Return the challenge of a response, given its headers with names in lower case."""
    challenges = parse_challenges(headers.get("www-authenticate", ""))
    parameters: dict[str, str] = {}
    for scheme, values in challenges:
        if scheme in (BEARER, DPOP):
            parameters = values | parameters  # A server may accept both; the first that names a parameter wins.
    return Challenge(
        schemes=frozenset(scheme for scheme, _ in challenges),
        resource_metadata=parameters.get("resource_metadata", ""),
        scopes=parse_scopes(parameters.get("scope", "")),
        error=parameters.get("error", ""),
        nonce=read_nonce(headers),
    )


def parse_challenges(header: str) -> list[tuple[str, dict[str, str]]]:
    """Return the scheme, in lower case, and the parameters of each challenge; the first of repeated values counts."""
    header = header[:LONGEST_HEADER]
    challenges: list[tuple[str, dict[str, str]]] = []
    position = 0
    while position < len(header):
        if header[position] in " \t,":
            position += 1
        elif challenges and (parameter := _PARAMETER.match(header, position)):
            name, quoted, plain = parameter.groups()
            value = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
            challenges[-1][1].setdefault(name.lower(), value)
            position = parameter.end()
        elif scheme := _SCHEME.match(header, position):
            challenges.append((scheme[1].lower(), {}))
            position = scheme.end()
            if credentials := _TOKEN68.match(header, position + 1):
                position = credentials.end()
        else:
            comma = header.find(",", position)
            position = len(header) if comma < 0 else comma
    return challenges


def read_nonce(headers: Mapping[str, str]) -> str:
    """Return the nonce for the next proof; empty when the server sent no valid nonce."""
    nonce = headers.get("dpop-nonce", "")
    return nonce if nonce.isascii() and nonce.isprintable() and len(nonce) <= LONGEST_HEADER else ""
