"""What the decorators for authors note down, and where: nothing is read, checked or built here.

A declaration is carried by its function, and noted in the module that it is written in.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from server_core.catalog.naming import pascal_case

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.auth.requirement import AuthRequirement
    from server_core.catalog.naming import Toolkit
    from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])

ATTRIBUTE = "__workbench__"
WRITTEN = "__written__"
NOTED = "__workbench_noted__"
"""The name in a module under which its declarations are noted: a second function of one name hides the first."""
DEPRECATION = "__tool_deprecation_message__"


@dataclass(eq=False)
class Declaration:
    """What one decorator was told.

    Attributes:
        function: the author's function.
        options: the arguments of the decorator that describe it to clients, by name; what was not given is left out.
        names: names that were known where it was written, besides those of its module.
    """

    function: Callable[..., Any]
    options: Json
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that clients use: the decorator's, or the function's.

        A partial has that of its function, and an object that is called that of its class.
        """
        named = (self.function, getattr(self.function, "func", None), type(self.function))
        names = (getattr(one, "__name__", None) for one in named)
        return str(self.options.get("name") or next(filter(None, names)))

    @property
    def key(self) -> str:
        """What tells it apart from others of its kind."""
        return self.name

    def marks(self) -> Json:
        """Return what a function that carries this declaration is marked with: attribute -> value."""
        return {ATTRIBUTE: self}


@dataclass(eq=False)
class ToolDeclaration(Declaration):
    """What `@tool` was told, as it was written: whether it makes sense is looked at later.

    Attributes:
        unknown: the names of arguments that `@tool` does not have.
    """

    secrets: Sequence[str] = ()
    timeout: float | None = None
    adapters: Sequence["ErrorAdapter"] = ()
    input_schema: Json | None = None
    output_schema: Json | None = None
    execution: Json | None = None
    requires_auth: "AuthRequirement | None" = None
    requires_metadata: Sequence[str] = ()
    metadata: "ToolMetadata | None" = None
    ui: Any = None
    retries: int = 0
    examples: Sequence[Json] = ()
    toolkit: "Toolkit | None" = None
    unknown: Sequence[str] = ()

    @property
    def deprecation(self) -> Any:
        """What `@tool.deprecated` was told, above or below `@tool`; None where it was not used."""
        return getattr(self.function, DEPRECATION, None)

    def marks(self) -> Json:
        """Add the marks that Arcade's decorator makes, for code that looks for them."""
        return super().marks() | {
            "__tool_name__": self.options.get("name") or pascal_case(self.name),
            "__tool_description__": self.options.get("description") or getattr(self.function, "__doc__", None),
            "__tool_requires_auth__": self.requires_auth,
            "__tool_requires_secrets__": self.secrets,
            "__tool_requires_metadata__": self.requires_metadata,
            "__tool_metadata__": self.metadata,
            "__tool_ui__": self.ui,
            "__tool_execution__": self.execution,
        }


@dataclass(eq=False)
class ResourceDeclaration(Declaration):
    """What `@resource` was told; an address with parts in braces declares a template.

    Attributes:
        unknown: the names of arguments that `@resource` does not have.
    """

    uri: str = ""
    completions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    watch: Sequence[str | PathLike[str]] = ()
    path: str = ""
    file: str | PathLike[str] | None = None
    scheme: str = "ui"
    toolkit: "Toolkit | None" = None
    unknown: Sequence[str] = ()

    @property
    def key(self) -> str:
        """The address, or the path where the rest of it is known later."""
        return self.uri or self.path or str(self.file or "")


@dataclass(eq=False)
class PromptDeclaration(Declaration):
    """What `@prompt` was told.

    Attributes:
        unknown: the names of arguments that `@prompt` does not have.
    """

    completions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    arguments: Sequence[Json] | None = None
    unknown: Sequence[str] = ()


@dataclass(eq=False)
class CompletionDeclaration(Declaration):
    """What `@app.completion` was told: which argument of which prompt or template the function proposes values for."""

    subject: str = ""
    argument: str = ""


def attach(function: F, declaration: Declaration) -> F:
    """Leave the declaration on the function, where it can carry one, and return the function."""
    # A bound method carries nothing: only an app, which keeps declarations itself, can take it as a tool.
    with suppress(AttributeError):
        for name, value in declaration.marks().items():
            setattr(function, name, value)
    return function


def detach(declaration: Declaration) -> None:
    """Take the declaration off its function, if it is there."""
    if declared_on(declaration.function) is declaration:
        delattr(declaration.function, ATTRIBUTE)


def declared_on(value: Any) -> Declaration | None:
    """Return the declaration that a value of a module carries, if any."""
    try:
        found = getattr(value, "__dict__", {}).get(ATTRIBUTE)
    except BaseException:  # What stands in for something that is not there yet fails like this, as Flask's `request`.
        return None
    return found if isinstance(found, Declaration) else None


def local_names() -> Mapping[str, Any]:
    """Return the names known where the author writes, when that is inside of a function or class.

    Annotations written as text (`from __future__ import annotations`) may speak of them.
    """
    frame = _author_frame()
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def noted_in(names: Mapping[str, Any]) -> Sequence[Declaration]:
    """Return all that a module has declared at its top level, in the order of writing, whatever its names are now.

    Args:
        names: those of the module.
    """
    noted: Sequence[Declaration] = names.get(NOTED, ())
    return noted


def note(declaration: Declaration) -> None:
    """Note a declaration in the module that it is written in, when it stands at the top level."""
    frame = _author_frame()
    if frame.f_locals is frame.f_globals:
        frame.f_globals.setdefault(NOTED, []).append(declaration)


class Written(NamedTuple):
    """Where an author wrote something.

    Attributes:
        file: the path of the file.
        line: from 1.
        names: those of the module.
    """

    file: str
    line: int
    names: Mapping[str, Any]


def written_here(function: F) -> F:
    """Note on a function of ours where its author wrote what it stands for, and return it."""
    frame = _author_frame()
    setattr(function, WRITTEN, Written(frame.f_code.co_filename, frame.f_lineno, frame.f_globals))
    return function


def written_of(function: Any) -> Written | None:
    """Return where an author wrote what a function of ours stands for; None for the author's own functions."""
    found: Written | None = getattr(function, "__dict__", {}).get(WRITTEN)
    return found


def _author_frame() -> FrameType:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("server_core."):
        frame = frame.f_back
    return frame
