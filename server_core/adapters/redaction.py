"""Remove possible secrets from a text: user, password, query and fragment of URLs, and credentials.

The texts come from exceptions of other libraries and may be long, so each pattern must run in linear time on any input:
none of them backtracks into a word that it has read to the end.
"""

import re

HIDDEN = "<hidden>"

_URL = re.compile(
    r"(?<=[A-Za-z0-9+.\-])://(?P<authority>[^/\s?#'\"<>]*)"
    r"(?P<path>(?:(?!://)[^\s?#'\"<>])*)(?P<query>[?#][^\s'\"<>]*)?"
)
# `url: /v1/x?token=...`, as urllib3 writes it.
_QUERY = re.compile(r"(?<![^\s'\"<>()])(?P<before>[^\s?'\"<>()]*)\?[^\s'\"<>()]+")
# `Authorization: Bearer ...`, `'X-Api-Key': '...'`, as clients show the headers of a request. In a `line`, the value is
# the rest of the line, because any number of words may precede the credential.
_HEADER = re.compile(
    r"(?:(?P<line>\b(?:proxy-)?authorization|\b(?:set-)?cookie)|(?P<word>\bx-[a-z\-]{0,40}(?:key|token|secret)|\bapi-?key))"
    r"(?P<mark>['\"]?\s*[:=]\s*['\"]?)(?(line)[^\r\n'\"}]+|[^\s'\",;}]+)",
    re.IGNORECASE,
)
# Tokens with a known prefix: Slack, GitHub, Google, and keys of models.
_TOKEN = re.compile(r"\b(?:xox[a-z]-|gh[pousr]_|github_pat_|ya29\.|sk-)[A-Za-z0-9_.\-]{10,}")
# Messages of clients about a header that they refuse to send: most often a credential with a line end.
_REFUSED = re.compile(
    r"(?P<before>\bheader (?:value:? |part \())b?(?:'[^'\r\n]*'|\"[^\"\r\n]*\")"
    r"(?P<of>\) from \(b?['\"][^'\"\r\n]*['\"], )?(?(of)b?(?:'[^'\r\n]*'|\"[^\"\r\n]*\"))",
    re.IGNORECASE,
)
# `user:password@host` without a scheme before it, also where a client reports it as an invalid port.
_USER = re.compile(r"(?:(?<![^\s'\"(<])[^\s'\"(<>/:@]*:|(?<=port: '))[^\s'\"<>/@]*@(?=[^\s@])")
_SCHEME = re.compile(r"\b(?P<scheme>Bearer|Basic)\s+[A-Za-z0-9+/=_.~\-]{8,}")


def redact(text: str) -> str:
    """Return the text with every URL reduced to scheme, host, port and path, and without credentials."""
    text = _USER.sub("", _QUERY.sub(_strip_query, _URL.sub(_bare_url, text)))
    text = _REFUSED.sub(_hide_header, text)
    text = _HEADER.sub(lambda match: f"{match['line'] or match['word']}{match['mark']}{HIDDEN}", text)
    return _TOKEN.sub(HIDDEN, _SCHEME.sub(lambda match: f"{match['scheme']} {HIDDEN}", text))


def _bare_url(match: re.Match[str]) -> str:
    query = match["query"] or ""
    host = match["authority"].rpartition("@")[2]
    return f"://{host}{match['path']}{query[len(query.rstrip(').,;:]')) :]}"


def _hide_header(match: re.Match[str]) -> str:
    return f"{match['before']}{HIDDEN}{match['of']}{HIDDEN}" if match["of"] else f"{match['before']}{HIDDEN}"


def _strip_query(match: re.Match[str]) -> str:
    return match["before"] if "/" in match["before"] else match.group()
