"""Personas: the clients that the mock client can pretend to be, so that an author sees how a tool degrades.

A persona is what a server learns about a client: its name, the revision that it requests, and the capabilities that it
declares. It is a snapshot, not the client: other behaviour of the client is not imitated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from server_core.protocol.revisions import REVISIONS
from server_core.runtime.suggestions import closest_name
from workbench.model.project_yaml import PERSONAS, check_members, object_of, read_table, text_of
from workbench.model.yaml_text import Mapping, YamlMistake, YamlValue, json_value
from workbench.model.yaml_text import Sequence as YamlSequence

DEFAULT = "workbench"
_OF_2025 = "2025-06-18"
_MEMBERS = ("like", "client", "revision", "capabilities", "roots")


@dataclass(frozen=True, slots=True)
class Persona:
    """A client as servers see it.

    Attributes:
        client_info: its `clientInfo`; empty for that of the workbench.
        capabilities: as on the wire; None for everything that the revision has.
        revision: the date of the revision that it requests; empty for the newest that the server supports.
        roots: its result of `roots/list`; None for the folder of the project.
        note: a description in a few words.
    """

    name: str
    client_info: dict[str, Any] = field(default_factory=dict)
    capabilities: dict[str, Any] | None = None
    revision: str = ""
    roots: tuple[dict[str, Any], ...] | None = None
    note: str = ""

    @property
    def is_default(self) -> bool:
        return self.name == DEFAULT

    @property
    def summary(self) -> str:
        """What it declares, in a few words."""
        if self.note:
            return self.note
        if self.capabilities is None:
            return "every capability"
        return ", ".join(map(_capability, self.capabilities.items())) or "no capability"


WORKBENCH = Persona(DEFAULT, note="every capability of the revision")

# Read on 2026-11-23. Names on the wire, revisions and capabilities: apify/mcp-client-capabilities, mcp-clients.json at
# 178a474. Roots of Claude Desktop and elicitation of Claude Code (since 2.1.76): pull request 2398 of
# modelcontextprotocol/modelcontextprotocol, merged 2026-03-14. Visual Studio Code: the URL mode is of 2025-11-25.
# Inspector: what the terminal client of 2.12.0 declares; it was run.
KNOWN_PERSONAS = (
    WORKBENCH,
    Persona("claude-desktop", {"name": "claude-ai", "version": "0.1.0"}, {"roots": {}}, _OF_2025),
    Persona(
        "claude-code", {"name": "claude-code", "version": "2.1.76"}, {"roots": {}, "elicitation": {}}, "2025-06-18"
    ),
    Persona("cursor", {"name": "cursor-vscode", "version": "1.0.0"}, {"roots": {}, "elicitation": {}}, _OF_2025),
    Persona(
        "vscode",
        {"name": "Visual Studio Code", "version": "1.0.0"},
        {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}},
        "2025-11-25",
    ),
    Persona(
        "inspector",
        {"name": "mcp-inspector", "version": "2.12.0"},
        {"roots": {}, "sampling": {}, "elicitation": {"form": {}}},
        "2025-11-25",
    ),
    Persona("minimal", {"name": "minimal", "version": "1.0.0"}, {}, "2025-11-25", note="tools only: no capability"),
)
"""The known clients; versions that the sources do not state are placeholders."""


@dataclass(frozen=True, slots=True)
class Personas:
    """The known personas, with those of a project in the place of known ones of the same name, and after them."""

    personas: tuple[Persona, ...] = KNOWN_PERSONAS
    problems: tuple[str, ...] = ()

    def find(self, name: str) -> Persona:
        """Return the persona with a name; ValueError, which suggests another, if there is none."""
        for persona in self.personas:
            if persona.name == name:
                return persona
        names = [persona.name for persona in self.personas]
        close = closest_name(name, names)
        raise ValueError(f"there is no persona {name!r}; {f'did you mean {close}?' if close else ', '.join(names)}")


def parse_personas(text: str) -> Personas:
    """Return the personas of a project, whose file is a YAML text.

    personas:
      old cursor:
        like: cursor               # begins with everything of another persona
        client: {name: cursor-vscode, version: 0.40.0}
        revision: 2024-11-05
        capabilities: {}
        roots: ["file:///work"]
    """
    own, problems = read_table(text, PERSONAS, _persona)
    by_name = {persona.name: persona for persona in (*KNOWN_PERSONAS, *own)}
    return Personas(tuple(by_name.values()), problems)


def _persona(name: str, value: YamlValue) -> Persona:
    if not isinstance(value, Mapping):
        raise YamlMistake(value.line, "write `like: NAME` or `capabilities:` below it")
    check_members(value, _MEMBERS, "a persona")
    if name == DEFAULT:
        raise YamlMistake(value.line, f"{DEFAULT} is the name of the default; choose another")
    members = value.members
    persona = replace(_base(members.get("like")), name=name, note="")
    if (client := members.get("client")) is not None:
        persona = replace(persona, client_info=_client_info(client))
    if (revision := members.get("revision")) is not None:
        date = text_of(revision, "revision")
        if date not in REVISIONS:
            raise YamlMistake(revision.line, f"revision is one of {', '.join(REVISIONS)}")
        persona = replace(persona, revision=date)
    if (capabilities := members.get("capabilities")) is not None:
        declared = object_of(capabilities, "capabilities", "capabilities, as on the wire")
        if not all(isinstance(member, dict) for member in declared.values()):
            raise YamlMistake(capabilities.line, "each capability is a mapping, such as {}")
        persona = replace(persona, capabilities=declared)
    if (roots := members.get("roots")) is not None:
        persona = replace(persona, roots=_roots(roots))
    return persona


def _base(like: YamlValue | None) -> Persona:
    if like is None:
        return WORKBENCH
    try:
        return Personas().find(text_of(like, "like"))
    except YamlMistake:
        raise
    except ValueError as error:
        raise YamlMistake(like.line, str(error)) from None


def _client_info(value: YamlValue) -> dict[str, Any]:
    info = object_of(value, "client", "name and version")
    if not isinstance(info.get("name"), str) or not info["name"]:
        raise YamlMistake(value.line, "client needs a name, which is a text")
    return {"version": "1.0.0", **info}


def _roots(value: YamlValue) -> tuple[dict[str, Any], ...]:
    uris: Sequence[Any] = json_value(value) if isinstance(value, YamlSequence) else [None]
    if not all(isinstance(uri, str) and ":" in uri for uri in uris):
        raise YamlMistake(value.line, "roots must be a list of URIs")
    return tuple({"uri": uri} for uri in uris)


def _capability(item: tuple[str, Any]) -> str:
    name, value = item
    modes = [mode for mode in value if mode in ("form", "url")] if isinstance(value, dict) else []
    return f"{name} ({', '.join(modes)})" if modes else name
