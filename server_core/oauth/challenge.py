"""What a refusal asks for: the `WWW-Authenticate` header, read.

Nothing in it is trusted: what cannot be read is passed over, and the length is bounded.

Source: RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 9449 sections 7.1 and 9, RFC 9728 section 5.1.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LONGEST = 16 * 1024
MOST_SCOPES = 200
BEARER, DPOP = "bearer", "dpop"

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_PARAMETER = re.compile(
    rf"({_TOKEN})[ \t]*=[ \t]*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s,\"]+))"
)  # Unquoted addresses are met.
_SCHEME = re.compile(rf"({_TOKEN})(?=[ \t]|,|$)")
_TOKEN68 = re.compile(r"[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))")
_SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+")


@dataclass(frozen=True, slots=True)
class Demand:
    """What a refusal asks for.

    Attributes:
        schemes: the ways of authorization that the server takes, in lower case; empty when it names none.
        resource_metadata: where it says more about itself; empty when it does not say.
        scopes: what the request needs; empty when it does not say.
        error: what is wrong, such as `insufficient_scope`; empty when nothing was sent.
        nonce: what the next proof of possession must repeat; empty when there is none.
    """

    schemes: frozenset[str] = frozenset()
    resource_metadata: str = ""
    scopes: tuple[str, ...] = ()
    error: str = ""
    nonce: str = ""

    @property
    def is_for_oauth(self) -> bool:
        """Whether a token may be the answer."""
        return not self.schemes or bool(self.schemes & {BEARER, DPOP})


def read_demand(headers: Mapping[str, str]) -> Demand:
    """Return what a refusal asks for.

    Args:
        headers: of the response, names in lower case.
    """
    challenges = read_challenges(headers.get("www-authenticate", ""))
    parameters: dict[str, str] = {}
    for scheme, found in challenges:
        if scheme in (BEARER, DPOP):
            parameters = found | parameters
    return Demand(
        schemes=frozenset(scheme for scheme, _ in challenges),
        resource_metadata=parameters.get("resource_metadata", ""),
        scopes=read_scopes(parameters.get("scope", "")),
        error=parameters.get("error", ""),
        nonce=read_nonce(headers),
    )


def read_challenges(header: str) -> list[tuple[str, dict[str, str]]]:
    """Return each challenge of a header: its scheme in lower case, and its parameters.

    Of a parameter that stands there twice the first counts.
    """
    header = header[:LONGEST]
    challenges: list[tuple[str, dict[str, str]]] = []
    place = 0
    while place < len(header):
        if header[place] in " \t,":
            place += 1
        elif challenges and (parameter := _PARAMETER.match(header, place)):
            name, quoted, plain = parameter.groups()
            value = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
            challenges[-1][1].setdefault(name.lower(), value)
            place = parameter.end()
        elif scheme := _SCHEME.match(header, place):
            challenges.append((scheme[1].lower(), {}))
            place = scheme.end()
            if credentials := _TOKEN68.match(header, place + 1):
                place = credentials.end()
        else:
            comma = header.find(",", place)
            place = len(header) if comma < 0 else comma
    return challenges


def read_scopes(text: object) -> tuple[str, ...]:
    """Return the scopes of a list that is separated by spaces, each once, without what can be none."""
    return unite(text.split(" ")) if isinstance(text, str) else ()


def unite(*lists: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes of several lists, each once, in order, without what can be none; their number is bounded."""
    scopes = dict.fromkeys(scope for one in lists for scope in one if _SCOPE.fullmatch(scope))
    return tuple(scopes)[:MOST_SCOPES]


def read_nonce(headers: Mapping[str, str]) -> str:
    """Return the nonce that a server wants to see in the next proof; empty when it sent none that can be one."""
    nonce = headers.get("dpop-nonce", "")
    return nonce if nonce.isascii() and nonce.isprintable() and len(nonce) <= LONGEST else ""
