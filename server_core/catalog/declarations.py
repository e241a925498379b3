"""The declarations that decorators record, and where they are stored. Nothing is checked or built here.

A declaration is attached to its function and listed in the module in which it is written.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias, TypeVar

from server_core.catalog.decorator_options import AllResourceOptions, PromptOptions, ToolOptions, read_options
from server_core.catalog.naming import pascal_case
from server_core.runtime.safe_text import call_safely

if TYPE_CHECKING:
    from server_core.catalog.naming import Toolkit

Json: TypeAlias = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])

ATTRIBUTE = "__workbench__"
WRITTEN = "__written__"
NOTED = "__workbench_noted__"
"""The module attribute that lists its declarations: a second function with the same name would hide the first."""
DEPRECATION = "__tool_deprecation_message__"


@dataclass(eq=False)
class Declaration:
    """The function and the arguments of one decorator.

    Attributes:
        function: the author's function.
        options: the options that were given, as written; they are checked later.
        names: the names in scope where it was written, besides those of its module.
    """

    function: Callable[..., Any]
    options: Mapping[str, Any]
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name for clients: that of the decorator, else that of the function.

        A partial has the name of its function, a callable object that of its class.
        """
        named = (self.function, getattr(self.function, "func", None), type(self.function))
        names = (getattr(candidate, "__name__", None) for candidate in named)
        return str(self.options.get("name") or next(filter(None, names)))

    @property
    def key(self) -> str:
        """What identifies it among declarations of its kind."""
        return self.name

    def marks(self) -> Json:
        """Return the attributes to set on a function with this declaration: attribute -> value."""
        return {ATTRIBUTE: self}


@dataclass(eq=False)
class OfferDeclaration(Declaration):
    """The arguments of a decorator that declares what clients are offered.

    Attributes:
        decorator: the name of the decorator.
        accepted: the class of its options.
        unknown: the names of options that it does not have.
    """

    decorator: ClassVar[str]
    accepted: ClassVar[type]
    unknown: Sequence[str] = ()

    @classmethod
    def declarer(cls, given: Mapping[str, Any]) -> "Callable[[Callable[..., Any]], Self]":
        """Return a function that declares a function with these options.

        Unknown options are recorded and reported with the other problems: an exception here would keep the whole file
        from being loaded.
        """
        options, unknown = read_options(given, cls.accepted)
        return lambda function: cls(function, options, local_names(), unknown)


@dataclass(eq=False)
class ToolDeclaration(OfferDeclaration):
    """The arguments of `@tool`."""

    decorator = "tool"
    accepted = ToolOptions
    options: ToolOptions
    toolkit: "Toolkit | None" = None

    @property
    def deprecation(self) -> Any:
        """The argument of `@tool.deprecated`, above or below `@tool`; None when that is not used."""
        return getattr(self.function, DEPRECATION, None)

    def marks(self) -> Json:
        """Add the attributes that Arcade's decorator sets, for code that reads them."""
        options = self.options
        return super().marks() | {
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
    accepted = AllResourceOptions
    options: AllResourceOptions
    toolkit: "Toolkit | None" = None

    @property
    def key(self) -> str:
        """The URI, or the path when the rest of the URI is not known yet."""
        options = self.options
        return options.get("uri") or options.get("path") or str(options.get("file") or "")


@dataclass(eq=False)
class PromptDeclaration(OfferDeclaration):
    """The arguments of `@prompt`."""

    decorator = "prompt"
    accepted = PromptOptions
    options: PromptOptions


@dataclass(eq=False)
class CompletionDeclaration(Declaration):
    """The arguments of `@app.completion`: the prompt or template, and its argument to propose values for."""

    subject: str = ""
    argument: str = ""


def attach(function: F, declaration: Declaration) -> F:
    """Attach the declaration to the function, if it accepts attributes, and return the function."""
    # A bound method accepts none, so it can only be a tool of an app, which stores declarations itself.
    with suppress(AttributeError):
        for name, value in declaration.marks().items():
            setattr(function, name, value)
    return function


def detach(declaration: Declaration) -> None:
    """Remove the declaration from its function, if it is attached."""
    if declared_on(declaration.function) is declaration:
        delattr(declaration.function, ATTRIBUTE)


def declared_on(value: Any) -> Declaration | None:
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


def noted_in(names: Mapping[str, Any]) -> Sequence[Declaration]:
    """Return everything that a module has declared at its top level, in source order, whatever its names refer to now.

    Args:
        names: the namespace of the module.
    """
    noted: Sequence[Declaration] = names.get(NOTED, ())
    return noted


def note(declaration: Declaration) -> None:
    """List a declaration in the module in which it is written, if it is at the top level."""
    frame = _author_frame()
    if frame.f_locals is frame.f_globals:
        frame.f_globals.setdefault(NOTED, []).append(declaration)


class Written(NamedTuple):
    """Where an author wrote something.

    Attributes:
        file: the path of the file.
        line: from 1.
        names: the namespace of the module.
    """

    file: str
    line: int
    names: Mapping[str, Any]


def written_here(function: F) -> F:
    """Record on an internal function where the author wrote what it implements, and return the function."""
    frame = _author_frame()
    setattr(function, WRITTEN, Written(frame.f_code.co_filename, frame.f_lineno, frame.f_globals))
    return function


def written_of(function: Any) -> Written | None:
    """Return where the author wrote what an internal function implements; None for the author's own functions."""
    written: Written | None = getattr(function, "__dict__", {}).get(WRITTEN)
    return written


def _author_frame() -> FrameType:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("server_core."):
        frame = frame.f_back
    return frame
