"""The declarations that decorators record, and where they are stored. Nothing is checked or built here.

A declaration is attached to its function and listed in the module in which it is written.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias, TypeVar

from server_core.catalog.decorator_options import AllResourceOptions, PromptOptions, ToolOptions, read_options
from server_core.catalog.toolkit import pascal_case
from server_core.runtime.safe_text import call_safely

if TYPE_CHECKING:
    from server_core.catalog.toolkit import Toolkit

Json: TypeAlias = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])

ATTRIBUTE = "__workbench__"
"""The attribute of a function that has its declaration."""
POSITION_ATTRIBUTE = "__written__"
LIST_ATTRIBUTE = "__workbench_noted__"
"""The module attribute that lists its declarations: a second function with the same name would hide the first."""
DEPRECATION = "__tool_deprecation_message__"  # Arcade's name for it, which other code reads.
UI_SCHEME = "ui"


@dataclass(eq=False)
class Declaration:
    """The function and the arguments of one decorator."""

    function: Callable[..., Any]
    options: Mapping[str, Any]  # as written; they are checked when the definition is built
    # The names in scope where it was written, besides those of its module.
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name for clients: the decorator's, else that of the function, also under a partial, or of the class."""
        candidates = (self.function, getattr(self.function, "func", None), type(self.function))
        names = (getattr(candidate, "__name__", None) for candidate in candidates)
        return str(self.options.get("name") or next(filter(None, names)))

    @property
    def key(self) -> str:
        """What identifies it among declarations of its kind."""
        return self.name

    def attributes(self) -> Json:
        """Return the attributes to set on a function with this declaration."""
        return {ATTRIBUTE: self}


@dataclass(eq=False)
class OfferDeclaration(Declaration):
    """The arguments of a decorator that declares what clients are offered."""

    decorator: ClassVar[str]  # the name of the decorator
    option_class: ClassVar[type]
    unknown: Sequence[str] = ()  # the names of options that it does not have

    @classmethod
    def declarer(cls, arguments: Mapping[str, Any]) -> "Callable[[Callable[..., Any]], Self]":
        """Return a function that declares a function with these options.

        Unknown options are recorded and reported with the other problems: an exception here would keep the whole file
        from being loaded.
        """
        options, unknown = read_options(arguments, cls.option_class)
        return lambda function: cls(function, options, local_names(), unknown)


@dataclass(eq=False)
class ToolDeclaration(OfferDeclaration):
    decorator = "tool"
    option_class = ToolOptions
    options: ToolOptions
    toolkit: "Toolkit | None" = None

    @property
    def deprecation(self) -> Any:
        """The argument of `@tool.deprecated`, above or below `@tool`."""
        return getattr(self.function, DEPRECATION, None)

    def attributes(self) -> Json:
        """Add the attributes that Arcade's decorator sets, for code that reads them."""
        options = self.options
        return super().attributes() | {
            "__tool_name__": options.get("name") or pascal_case(self.name),
            "__tool_description__": options.get("description") or getattr(self.function, "__doc__", None),
            "__tool_requires_auth__": options.get("requires_auth"),
            "__tool_requires_secrets__": options.get("requires_secrets", ()),
            "__tool_requires_metadata__": options.get("requires_metadata", ()),
            "__tool_metadata__": options.get("metadata"),
            "__tool_ui__": options.get("ui"),
            "__tool_execution__": options.get("execution"),
        }


@dataclass(eq=False)
class ResourceDeclaration(OfferDeclaration):
    """The arguments of `@resource`; a URI with parts in braces declares a template."""

    decorator = "resource"
    option_class = AllResourceOptions
    options: AllResourceOptions
    toolkit: "Toolkit | None" = None

    @property
    def key(self) -> str:
        """The URI, or the path when the rest of the URI is not known yet."""
        options = self.options
        return options.get("uri") or options.get("path") or str(options.get("file") or "")

    @property
    def path(self) -> str:
        """The path within the toolkit; defaults to the name of the file."""
        file = self.options.get("file")
        return self.options.get("path") or ("" if file is None else PurePath(file).name)

    def uri_in(self, toolkit: "Toolkit | None") -> str:
        """Return the URI of the resource, or the URI template, in a toolkit, unless it declares another toolkit.

        `ui://Shop/1.0.0/cart.html` is the path `cart.html` in version 1.0.0 of the toolkit `shop`. The version is part
        of the URI so that a client never displays a tool with a cached resource of an older version.
        """
        if uri := self.options.get("uri"):
            return uri
        owner = self.toolkit or toolkit
        prefix = [owner.pascal_name, owner.version] if owner is not None and owner.name else []
        parts = [part for part in (*prefix, *self.path.split("/")) if part]
        scheme = self.options.get("scheme", UI_SCHEME)
        return f"{scheme.rstrip(':/')}://{'/'.join(parts)}" if parts else ""


@dataclass(eq=False)
class PromptDeclaration(OfferDeclaration):
    decorator = "prompt"
    option_class = PromptOptions
    options: PromptOptions


@dataclass(eq=False)
class CompletionDeclaration(Declaration):
    """The arguments of `@app.completion`: a prompt or template, and its argument to propose values for."""

    subject: str = ""
    argument: str = ""


def attach(function: F, declaration: Declaration) -> F:
    """Attach the declaration to the function, if it accepts attributes, and return the function."""
    # A bound method accepts none, so it can only be a tool of an app, which stores declarations itself.
    with suppress(AttributeError):
        for name, value in declaration.attributes().items():
            setattr(function, name, value)
    return function


def detach(declaration: Declaration) -> None:
    """Remove the declaration from its function, unless another has replaced it there."""
    if declaration_of(declaration.function) is declaration:
        delattr(declaration.function, ATTRIBUTE)


def declaration_of(value: Any) -> Declaration | None:
    """Return the declaration attached to a value, if any."""
    # Proxies for objects that do not exist yet raise here, such as Flask's `request`.
    declaration = call_safely(lambda: getattr(value, "__dict__", {}).get(ATTRIBUTE), lambda _: None)
    return declaration if isinstance(declaration, Declaration) else None


def local_names() -> Mapping[str, Any]:
    """Return the local names of the function or class body in which the author writes; empty at module level.

    String annotations (`from __future__ import annotations`) may refer to them.
    """
    frame = _author_frame()
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def declarations_in(namespace: Mapping[str, Any]) -> Sequence[Declaration]:
    """Return what a module has declared at its top level, in source order, whatever its names refer to now."""
    declarations: Sequence[Declaration] = namespace.get(LIST_ATTRIBUTE, ())
    return declarations


def list_declaration(declaration: Declaration) -> None:
    """List a declaration in the module in which it is written, if it is at the top level."""
    frame = _author_frame()
    if frame.f_locals is frame.f_globals:  # Only at the top level of a module.
        frame.f_globals.setdefault(LIST_ATTRIBUTE, []).append(declaration)


class RecordedPosition(NamedTuple):
    """Where an author wrote something."""

    file: str
    line: int  # from 1
    namespace: Mapping[str, Any]  # of the module


def record_position(function: F) -> F:
    """Record on an internal function where the author wrote what it implements, and return the function."""
    frame = _author_frame()
    setattr(function, POSITION_ATTRIBUTE, RecordedPosition(frame.f_code.co_filename, frame.f_lineno, frame.f_globals))
    return function


def recorded_position(function: Any) -> RecordedPosition | None:
    """Return where the author wrote what an internal function implements; None for the author's own functions."""
    position: RecordedPosition | None = getattr(function, "__dict__", {}).get(POSITION_ATTRIBUTE)
    return position


def _author_frame() -> FrameType:
    """Return the innermost frame outside of this package."""
    # `inspect.stack` would read the source files of all frames, at each decorator.
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("server_core."):
        frame = frame.f_back
    return frame
