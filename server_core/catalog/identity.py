"""The identity of a server, read from its source or its project without running any code."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from server_core.catalog import app_identity
from server_core.catalog.app_identity import checked_name, checked_version
from server_core.runtime.paths import project_root

_TEXTS = ("name", "version", "title", "instructions", "description", "website_url")
"""The string arguments of `MCPApp` that belong to its identity."""
# fmt: off
_POSITIONAL = (
    "name", "version", "title", "instructions", "log_level", "transport", "host", "port", "reload", "auth", "icons",
    "description", "website_url", "allowed_origins",
)
# fmt: on
"""The positional parameters of `MCPApp`, in order."""


@dataclass(frozen=True)
class Identity:
    """How a server names itself to clients."""

    name: str
    version: str
    title: str | None = None  # its display name
    instructions: str | None = None  # what a model should know to use it
    description: str | None = None
    website_url: str | None = None
    icons: tuple[dict[str, Any], ...] = ()  # as on the wire
    # Its messages pass through an author's middleware; its capabilities are only known once that is loaded.
    has_middleware: bool = False
    has_auth: bool = False  # clients over HTTP need tokens; from which issuer is only known once the app is loaded
    is_of_app: bool = True  # it comes from an `MCPApp`, and not from the project's metadata

    @property
    def about(self) -> dict[str, Any]:
        """The members that newer revisions add, as on the wire. Source: 2025-11-25, Implementation."""
        facts = {"description": self.description, "websiteUrl": self.website_url, "icons": list(self.icons)}
        return {name: fact for name, fact in facts.items() if fact}


def identity_of_call(call: ast.Call) -> Identity | None:
    """Return the identity of an app; None when it depends on values known at run time, or the arguments are invalid."""
    arguments = dict(zip(_POSITIONAL, call.args, strict=False)) | {
        keyword.arg: keyword.value for keyword in call.keywords if keyword.arg
    }
    literal = {name: _literal_value(value) for name, value in arguments.items() if name in (*_TEXTS, "icons")}
    texts = {name: literal[name] for name in _TEXTS if isinstance(literal.get(name), str)}
    has_unknown_name = "name" in arguments or any(keyword.arg is None for keyword in call.keywords)
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


def may_have_auth(call: ast.Call) -> bool:
    """Return whether a call of `MCPApp` has the argument `auth`, or may have it through `*` or `**`."""
    if any(keyword.arg is None for keyword in call.keywords) or any(
        isinstance(argument, ast.Starred) for argument in call.args
    ):
        return True
    arguments = [keyword.value for keyword in call.keywords if keyword.arg == "auth"]
    arguments += [value for name, value in zip(_POSITIONAL, call.args, strict=False) if name == "auth"]
    return any(not (isinstance(value, ast.Constant) and value.value is None) for value in arguments)


def are_icons(value: Any) -> TypeGuard[Sequence[dict[str, Any]]]:
    """Return whether these are icons as on the wire. Source: 2025-11-25, Icon."""
    return isinstance(value, list | tuple) and all(
        isinstance(icon, dict) and isinstance(icon.get("src"), str) and all(map(_is_text, icon.values()))
        for icon in value
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _literal_value(value: ast.expr) -> Any:
    """Return the value of a literal expression, or None for any other expression."""
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # As documented by `literal_eval`.
        return None


def identity_of_project(folder: Path, name: str) -> Identity:
    """Return the identity of a server without an app, from the nearest pyproject.toml; `name` is its default name."""
    root = project_root(folder)
    if root is not None:
        import tomllib

        try:
            project = tomllib.loads((root / "pyproject.toml").read_text("utf-8")).get("project", {})
        except (OSError, ValueError):
            project = {}
        if isinstance(project, dict) and isinstance(project.get("name"), str):
            return Identity(project["name"], str(project.get("version", app_identity.VERSION)), is_of_app=False)
    return Identity(name or "tools", app_identity.VERSION, is_of_app=False)
