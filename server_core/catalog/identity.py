"""Who a server is, as far as its source or its project says so; nothing is run for that."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from server_core.catalog import app_identity
from server_core.catalog.app_identity import checked_name, checked_version
from server_core.runtime.paths import project_root

_TEXTS = ("name", "version", "title", "instructions", "description", "website_url")
"""The arguments of `MCPApp` that are texts of its identity."""
# fmt: off
_POSITIONAL = (
    "name", "version", "title", "instructions", "log_level", "transport", "host", "port", "reload", "auth", "icons",
    "description", "website_url", "allowed_origins",
)
# fmt: on
"""Those that may come without their names."""


@dataclass(frozen=True)
class Identity:
    """How a server names itself to clients.

    Attributes:
        name: its programmatic name.
        version: its version.
        title: its name for people.
        instructions: what a model should know to use it.
        description: what it is for.
        website_url: where people read more.
        icons: as on the wire.
        has_middleware: its messages pass an author's code; what it can do is only known once that is loaded.
        has_auth: clients over HTTP must have tokens; whose, is only known once that is loaded.
        is_of_app: an `MCPApp` says it; else the project does, which nobody has asked.
    """

    name: str
    version: str
    title: str | None = None
    instructions: str | None = None
    description: str | None = None
    website_url: str | None = None
    icons: tuple[dict[str, Any], ...] = ()
    has_middleware: bool = False
    has_auth: bool = False
    is_of_app: bool = True

    @property
    def about(self) -> dict[str, Any]:
        """What the latest revisions tell of it besides, as on the wire. Source: 2025-11-25, Implementation."""
        facts = {"description": self.description, "websiteUrl": self.website_url, "icons": list(self.icons)}
        return {name: fact for name, fact in facts.items() if fact}


def identity_of_call(call: ast.Call) -> Identity | None:
    """Return who an app is; None when only running its constructor would tell, or that would refuse."""
    given = dict(zip(_POSITIONAL, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}
    literal = {name: _literal(value) for name, value in given.items() if name in (*_TEXTS, "icons")}
    texts = {name: literal[name] for name in _TEXTS if isinstance(literal.get(name), str)}
    has_unknown_name = "name" in given or any(one.arg is None for one in call.keywords)
    if "name" not in texts and has_unknown_name:
        return None
    try:
        name = checked_name(texts.pop("name", app_identity.NAME))
        version = checked_version(texts.pop("version", app_identity.VERSION))
    except ValueError:
        return None
    icons = literal.get("icons")
    title = texts.pop("title", "") or name
    return Identity(name, version, title, **texts, icons=tuple(icons) if are_icons(icons) else ())


def has_auth(call: ast.Call) -> bool:
    """Return whether an app is told whose tokens clients must have, or may be, by `**options`."""
    if any(one.arg is None for one in call.keywords) or any(isinstance(one, ast.Starred) for one in call.args):
        return True
    given = [one.value for one in call.keywords if one.arg == "auth"]
    given += [value for name, value in zip(_POSITIONAL, call.args, strict=False) if name == "auth"]
    return any(not (isinstance(one, ast.Constant) and one.value is None) for one in given)


def are_icons(value: Any) -> TypeGuard[Sequence[dict[str, Any]]]:
    """Return whether these are icons as on the wire. Source: 2025-11-25, Icon."""
    return isinstance(value, list | tuple) and all(
        isinstance(one, dict) and isinstance(one.get("src"), str) and all(map(_is_text, one.values())) for one in value
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _literal(value: ast.expr) -> Any:
    """The value of an expression that is one; None for what only running it would tell."""
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def identity_of_project(folder: Path, name: str) -> Identity:
    """Return who a server without an app is: what the nearest pyproject.toml says, else this name.

    Args:
        folder: of the tools.
        name: what it is called otherwise.
    """
    root = project_root(folder)
    if root is not None:
        import tomllib

        try:
            project = tomllib.loads((root / "pyproject.toml").read_text("utf-8")).get("project", {})
        except (OSError, ValueError):
            project = {}
        if isinstance(project, dict) and isinstance(project.get("name"), str):
            return Identity(project["name"], str(project.get("version", "0.1.0")), is_of_app=False)
    return Identity(name or "tools", "0.1.0", is_of_app=False)
