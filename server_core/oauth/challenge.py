"""Parses the `WWW-Authenticate` header of a 401 or 403 response.

The header is not trusted: invalid parts are skipped, and its length is limited.

Source: RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 9449 sections 7.1 and 9, RFC 9728 section 5.1.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LONGEST = 16 * 1024
MAX_SCOPES = 200
BEARER, DPOP = "bearer", "dpop"

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PARAMETER = re.compile(
    rf"({_TOKEN})[ \t]*=[ \t]*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s,\"]+))"
)  # Some servers send unquoted URLs.
_SCHEME = re.compile(rf"({_TOKEN})(?=[ \t]|,|$)")
_TOKEN68 = re.compile(r"[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))")
_SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+")


@dataclass(frozen=True, slots=True)
class Demand:
    """The requirements of a 401 or 403 response.

    Attributes:
        schemes: the authorization schemes that the server accepts, in lower case; empty when it names none.
        resource_metadata: the URL of the resource metadata; empty when not given.
        scopes: the scopes that the request needs; empty when not given.
        error: the error code, such as `insufficient_scope`; empty when not given.
        nonce: the nonce for the next proof of possession; empty when there is none.
    """

    schemes: frozenset[str] = frozenset()
    resource_metadata: str = ""
    scopes: tuple[str, ...] = ()
    error: str = ""
    nonce: str = ""

    @property
    def is_for_oauth(self) -> bool:
        """Whether a token may satisfy the server."""
        return not self.schemes or bool(self.schemes & {BEARER, DPOP})


def read_demand(headers: Mapping[str, str]) -> Demand:
    """Return the requirements of a 401 or 403 response.

    Args:
        headers: the headers of the response, names in lower case.
    """
    challenges = read_challenges(headers.get("www-authenticate", ""))
    parameters: dict[str, str] = {}
    for scheme, values in challenges:
        if scheme in (BEARER, DPOP):
            parameters = values | parameters
    return Demand(
        schemes=frozenset(scheme for scheme, _ in challenges),
        resource_metadata=parameters.get("resource_metadata", ""),
        scopes=read_scopes(parameters.get("scope", "")),
        error=parameters.get("error", ""),
        nonce=read_nonce(headers),
    )


def read_challenges(header: str) -> list[tuple[str, dict[str, str]]]:
    """Return each challenge of a header: its scheme in lower case, and its parameters.

    Of a repeated parameter, the first value counts.
    """
    header = header[:LONGEST]
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


def read_scopes(text: object) -> tuple[str, ...]:
    """Return the valid scopes of a space-separated list, without duplicates."""
    return unite(text.split(" ")) if isinstance(text, str) else ()


def unite(*lists: Iterable[str]) -> tuple[str, ...]:
    """Return the valid scopes of several lists, in order, without duplicates; their number is limited."""
    scopes = dict.fromkeys(scope for names in lists for scope in names if _SCOPE.fullmatch(scope))
    return tuple(scopes)[:MAX_SCOPES]


def read_nonce(headers: Mapping[str, str]) -> str:
    """Return the nonce for the next proof; empty when the server sent no valid nonce."""
    nonce = headers.get("dpop-nonce", "")
    return nonce if nonce.isascii() and nonce.isprintable() and len(nonce) <= LONGEST else ""
