"""The servers in the configuration file of a client: a text -> servers.

A mistake is a problem of its entry, or of the file, and never hides the other entries.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from server_core.runtime.safe_json import parse_json
from workbench.model.forms.json_walk import value_lines
from workbench.model.servers.known_clients import KnownClient
from workbench.model.servers.known_server import KnownServer

MAX_SERVERS = 500
"""The number of servers of one file that are read."""

_URL_MEMBERS = ("url", "serverUrl", "httpUrl")
_VARIABLE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_]\w*)(?::-(?P<default>[^}]*))?\}")
_UNKNOWN = re.compile(r"\$\{(?P<text>[^}]*)\}")

# Strings are matched first, so that nothing within them is a comment; quantifiers never backtrack.
_COMMENT = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|//[^\n]*+|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'"(?:[^"\\\n]++|\\.)*+"|,(?=\s*+[}\]])')


def read_servers(
    text: str, client: KnownClient, file: str, variables: Mapping[str, str], folder: str = ""
) -> list[KnownServer]:
    """Return the servers that a configuration file lists, each with the problem that keeps it from being opened.

    `variables` replace `${NAME}`, and `folder`, empty for files of the user, `${workspaceFolder}`.
    """
    text = _strict_json(text)
    try:
        document = parse_json(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        line = int(getattr(error, "lineno", 0))
        return [KnownServer("", client.name, file, line, problem=f"This is no valid JSON: {_reason(error)}")]
    lines = value_lines(text)
    places = {"workspaceFolder": folder, "userHome": variables.get("HOME", "")}
    known = {**variables, **{name: place for name, place in places.items() if place}}
    return [
        _entry(name, entry, KnownServer(str(name), client.name, file, lines.get(path, -1) + 1), known)
        for path, name, entry in _entries(document, client)
    ][:MAX_SERVERS]


def _entries(document: Any, client: KnownClient) -> Iterator[tuple[tuple[str | int, ...], str, Any]]:
    """Yield the path, the name and the value of each entry."""
    for members in client.members:
        for path, servers in _objects(document, members, ()):
            for name, entry in servers.items():
                yield (*path, name), name, entry


def _objects(
    value: Any, members: tuple[str, ...], path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    if not isinstance(value, dict):
        return
    if not members:
        yield path, value
        return
    for name in value if members[0] == "*" else members[:1]:
        yield from _objects(value.get(name), members[1:], (*path, name))


def _entry(name: str, entry: Any, at: KnownServer, variables: Mapping[str, str]) -> KnownServer:
    reader = _EntryReader(entry, variables)
    command, url, folder = reader.command(), reader.url(), reader.text("cwd")
    env, headers = reader.texts("env"), reader.texts("headers")
    problem = reader.problem
    if not problem and not command and not url:
        problem = "It has neither a command nor a URL."
    return KnownServer(
        name, at.source, at.file, at.line, command, "" if command else url, env, headers, folder, problem
    )


class _EntryReader:
    """Reads the members of one entry; `problem` is the first mistake."""

    def __init__(self, entry: Any, variables: Mapping[str, str]) -> None:
        self.problem = "" if isinstance(entry, dict) else "It is not an object."
        self._entry: dict[str, Any] = entry if isinstance(entry, dict) else {}
        self._variables = variables

    def command(self) -> tuple[str, ...]:
        entry = self._entry
        # Zed's older form has an object with the path, the arguments and the variables.
        if isinstance(inner := entry.get("command"), dict):
            self._entry = {**entry, **inner, "command": inner.get("path")}
        program, arguments = self.text("command"), self._entry.get("args")
        if arguments is None:
            arguments = []
        if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
            self._report("args is not a list of texts.")
            return ()
        return (program, *(self._expanded(word) for word in arguments)) if program else ()

    def url(self) -> str:
        url = next(filter(None, map(self.text, _URL_MEMBERS)), "")
        if url and not url.startswith(("http://", "https://")):
            self._report("Its URL does not begin with http:// or https://.")
        return url

    def text(self, member: str) -> str:
        value = self._entry.get(member)
        if value is None:
            return ""
        if not isinstance(value, str):
            self._report(f"{member} is not a text.")
            return ""
        return self._expanded(value)

    def texts(self, member: str) -> dict[str, str]:
        values = self._entry.get(member)
        if values is None:
            return {}
        if not isinstance(values, dict):
            self._report(f"{member} is not an object.")
            return {}
        return {
            str(name): self._expanded(str(value))
            for name, value in values.items()
            if isinstance(value, str | int | float)
        }

    def _expanded(self, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            known = self._variables.get(match["name"], match["default"])
            if known is None:
                self._report(f"The variable {match['name']} is not set.")
            return known or ""

        # Not in the values of variables, which are never shown.
        if (unknown := _UNKNOWN.search(_VARIABLE.sub("", text))) is not None:
            self._report(f"Only its client knows ${{{unknown['text']}}}.")
        return _VARIABLE.sub(value, text)

    def _report(self, problem: str) -> None:
        self.problem = self.problem or problem


def _reason(error: Exception) -> str:
    return str(getattr(error, "msg", "")).removesuffix(" at") or "it is nested too deeply"


def _strict_json(text: str) -> str:
    """Return JSON as editors write it with spaces for comments and trailing commas: all else stays at its place."""
    without_comments = _COMMENT.sub(_blank, text.removeprefix("\ufeff"))
    return _TRAILING.sub(_blank, without_comments)


def _blank(match: re.Match[str]) -> str:
    token = match.group()
    return token if token.startswith('"') else "".join("\n" if character == "\n" else " " for character in token)
