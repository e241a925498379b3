"""The identity of a server: read from its source or its project without running any code, and from the settings.

The names and versions that an app may have are those of Arcade's `MCPApp`; names may also contain hyphens. The rules
apply both to an app object and to one whose source is only read.

Source: https://semver.org, with the regular expression that it suggests.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from server_core.runtime.paths import project_root

if TYPE_CHECKING:
    from server_core.settings.table import Settings

DEFAULT_NAME = "ArcadeMCP"
"""The default name of an app."""
DEFAULT_VERSION = "0.1.0"
"""The default version of an app."""

_NUMBER = r"(?:0|[1-9][0-9]*)"
_SHORT_VERSION = re.compile(rf"v?(?P<numbers>{_NUMBER}(?:\.{_NUMBER}){{0,2}})(?P<rest>.*)", re.DOTALL)
_PRE_PART = r"(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_SUFFIX = re.compile(rf"(?:-{_PRE_PART}(?:\.{_PRE_PART})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?")
_NAME_RULES = (
    (re.compile(r".+", re.DOTALL), "cannot be empty"),
    (re.compile(r"[A-Za-z0-9_-]+"), "must contain only alphanumeric characters, hyphens and underscores"),
    (re.compile(r"[^_].*"), "cannot start with an underscore"),
    (re.compile(r"[^-].*"), "cannot start with a hyphen"),
    (re.compile(r"(?!.*__).*"), "cannot have consecutive underscores"),
    (re.compile(r".*[A-Za-z0-9]"), "must end with an alphanumeric character"),
)

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
        name = checked_name(texts.pop("name", DEFAULT_NAME))
        version = checked_version(texts.pop("version", DEFAULT_VERSION))
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
            return Identity(project["name"], str(project.get("version", DEFAULT_VERSION)), is_of_app=False)
    return Identity(name or "tools", DEFAULT_VERSION, is_of_app=False)


def checked_name(name: Any) -> str:
    """Return the name of an app, or raise TypeError or ValueError, whose message names the rule."""
    if not isinstance(name, str):
        raise TypeError("MCPApp's name must be a string")
    for rule, broken in _NAME_RULES:
        if not rule.fullmatch(name):
            raise ValueError(f"MCPApp's name {broken}")
    return name


def checked_version(version: Any) -> str:
    """Return the version of an app with all three numbers (`1` -> `1.0.0`), or raise TypeError or ValueError."""
    if not isinstance(version, str):
        raise TypeError("MCPApp's version must be a string")
    match = _SHORT_VERSION.fullmatch(version)
    numbers = match["numbers"].split(".") if match else []
    # A shortened version must have no suffix.
    if match is None or not _SUFFIX.fullmatch(match["rest"]) or (match["rest"] and len(numbers) < 3):
        got = version.removeprefix("v") or "version cannot be empty"
        raise ValueError(f"MCPApp's version must be a valid semver string (e.g., '1.0.0', '1.2.3-beta.1'), got '{got}'")
    return ".".join([*numbers, "0", "0"][:3]) + match["rest"]


def identity_settings(identity: Identity) -> dict[str, str]:
    """Return the settings that an app overrides: name of a setting -> its value; a project overrides none.

    A default value of an app counts as not set, because the two cannot be distinguished.
    """
    if not identity.is_of_app:
        return {}
    values = {
        "server_name": "" if identity.name == DEFAULT_NAME else identity.name,
        "server_version": "" if identity.version == DEFAULT_VERSION else identity.version,
        "server_title": "" if identity.title == identity.name else identity.title,
        "server_instructions": identity.instructions,
    }
    return {name: value for name, value in values.items() if value}


def identity_with(settings: "Settings", identity: Identity) -> Identity:
    """Return the identity of a server, from that of its `MCPApp`, else of its project, and the settings."""
    in_code = identity_settings(identity)
    name = in_code.get("server_name") or settings.server_name or identity.name
    title = in_code.get("server_title") or settings.server_title or identity.title
    return replace(
        identity,
        name=name,
        version=in_code.get("server_version") or settings.server_version or identity.version,
        title=name if title == identity.name else title,
        instructions=identity.instructions or settings.server_instructions or None,
    )
