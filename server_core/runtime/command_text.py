"""Command lines and URLs of other servers as they are shown: without the credentials that they may contain."""

import re
import shlex
from collections.abc import Iterable

_SECRET_NAME = re.compile(r"pass|secret|token|key|credential|auth|(^|[_-])pat($|[_-])", re.IGNORECASE)
_OPTION = re.compile(r"--?(?P<name>[\w-]+)(?P<value>=.*)?", re.DOTALL)
# A variable or a header.
_ASSIGNMENT = re.compile(r"(?P<start>(?P<name>[\w-]+)(=|: ?)).+", re.DOTALL)
_HEADER_OPTION = re.compile(r"H|.*header.*", re.IGNORECASE)
_USER = re.compile(r"(?<=://)[^/?#]*@")
_QUERY = re.compile(r"[?#].*$", re.DOTALL)
_HIDDEN = "…"


def is_secret_name(name: str) -> bool:
    """Whether the name of a variable, an option or a header suggests that its value is a credential."""
    return _SECRET_NAME.search(name) is not None


def command_text(command: Iterable[str]) -> str:
    """Return a command line without the values of options, variables and headers whose names suggest a credential."""
    shown, hides = [], False
    for word in command:
        text, hides = (_HIDDEN, False) if hides else _word_text(word)
        shown.append(text)
    return " ".join(text if text.endswith(_HIDDEN) else shlex.quote(text) for text in shown)


def url_text(url: str) -> str:
    """Return a URL without its user, password, query and fragment."""
    return _QUERY.sub("", _USER.sub("", url))


def _word_text(word: str) -> tuple[str, bool]:
    """Return a word as it is shown, and whether the next word is a credential."""
    if (option := _OPTION.fullmatch(word)) is not None:
        name, value = option["name"], option["value"]
        if is_secret_name(name) or _HEADER_OPTION.fullmatch(name):
            return (f"{word.removesuffix(value)}={_HIDDEN}", False) if value else (word, True)
    assignment = _ASSIGNMENT.fullmatch(word)
    if assignment is not None and is_secret_name(assignment["name"]):
        return f"{assignment['start']}{_HIDDEN}", False
    if word.startswith("{"):
        return _HIDDEN, False  # A configuration as JSON.
    return url_text(word) if "://" in word else word, False
