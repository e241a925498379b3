"""Texts without what may be secret in them: user, password, query and fragment of addresses, and credentials."""

import re

HIDDEN = "<hidden>"

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*://)(?P<authority>[^/\s?#'\"<>]*)(?P<rest>[^\s'\"<>]*)")
# `url: /v1/x?token=...`, as urllib3 writes it.
_QUERY = re.compile(r"(?P<path>/[^\s?'\"<>()]*)\?[^\s'\"<>()]+")
# `Authorization: Bearer ...`, `'X-Api-Key': '...'`, as clients show the headers of a request.
_HEADER = re.compile(
    r"(?P<name>\b(?:proxy-)?authorization|\b(?:set-)?cookie|\bx-[a-z\-]*(?:key|token|secret)|\bapi-?key)"
    r"(?P<mark>['\"]?\s*[:=]\s*['\"]?)(?:(?:bearer|basic|token|digest)\s+)?[^\s'\",;}]+",
    re.IGNORECASE,
)
# Tokens that say themselves whose they are: Slack, GitHub, Google, and keys of models.
_TOKEN = re.compile(r"\b(?:xox[a-z]-|gh[pousr]_|github_pat_|ya29\.|sk-)[A-Za-z0-9_.\-]{10,}")
_SCHEME = re.compile(r"\b(?P<scheme>Bearer|Basic)\s+[A-Za-z0-9+/=_.~\-]{8,}")


def without_secrets(text: str) -> str:
    """Return the text with every address in it cut down to scheme, host, port and path, and without credentials."""
    text = _QUERY.sub(lambda match: match["path"], _ADDRESS.sub(_bare, text))
    text = _HEADER.sub(lambda match: f"{match['name']}{match['mark']}{HIDDEN}", text)
    return _TOKEN.sub(HIDDEN, _SCHEME.sub(lambda match: f"{match['scheme']} {HIDDEN}", text))


def _bare(match: re.Match[str]) -> str:
    path = re.split(r"[?#]", match["rest"], maxsplit=1)[0]
    tail = re.search(r"[).,;:\]]+$", match["rest"]) if path != match["rest"] else None
    host = match["authority"].rpartition("@")[2]
    return match["scheme"] + host + path + (tail.group() if tail else "")
