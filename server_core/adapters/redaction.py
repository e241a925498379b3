"""Addresses in texts, without what may be secret in them: user, password, query and fragment."""

import re

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*://)(?P<authority>[^/\s?#'\"<>]*)(?P<rest>[^\s'\"<>]*)")
# `url: /v1/x?token=...`, as urllib3 writes it.
_QUERY = re.compile(r"(?P<path>/[^\s?'\"<>()]*)\?[^\s'\"<>()]+")


def without_secrets(text: str) -> str:
    """Return the text with every address in it cut down to scheme, host, port and path."""
    return _QUERY.sub(lambda match: match["path"], _ADDRESS.sub(_bare, text))


def _bare(match: re.Match[str]) -> str:
    path = re.split(r"[?#]", match["rest"], maxsplit=1)[0]
    tail = re.search(r"[).,;:\]]+$", match["rest"]) if path != match["rest"] else None
    host = match["authority"].rpartition("@")[2]
    return match["scheme"] + host + path + (tail.group() if tail else "")
