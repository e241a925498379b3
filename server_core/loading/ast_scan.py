"""Read from the source of a file what it declares, without importing it.

A file declares something when it creates an app, or when a function in it has one of our decorators (under any name by
which it was imported), or a decorator of an app that the file creates or imports from another file of the project.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

from server_core.catalog.identity import Identity, identity_of_call, may_have_auth

_DECORATORS = frozenset({"tool", "resource", "prompt", "completion"})
# A file without any match is not parsed: a folder may have thousands of them.
_HINT = re.compile(rb"server_core|@tool\b|\.(?:tool|resource|prompt|completion)\b|\barcade_(?:mcp_server|tdk|core)\b")
# A file with a syntax error that matches may require tokens: no client is admitted until it can be read.
_AUTH_HINT = re.compile(rb"\bMCPApp\b.*\bauth\s*=", re.DOTALL)
ARCADES = frozenset({"arcade_mcp_server", "arcade_tdk", "arcade_core", "arcade_mcp"})
"""Arcade's packages."""

ARCADE_FIX = "Change the import to server_core, which has the same names; docs/arcade.md lists them."
"""The fix for an import of Arcade's packages."""


class Note(NamedTuple):
    """A note for the author of a file, from its source alone."""

    file: Path
    line: int
    message: str
    fix: str
    is_moot_if_served: bool = False  # it does not apply if a function that starts at that line is served after all


class ScannedFile(NamedTuple):
    """The result of scanning a file."""

    reason: str  # why it is not loaded; empty if it is
    identity: Identity | None = None  # from the first `MCPApp(...)` in it
    unreadable: bool = False  # it has a syntax error, so its content is unknown
    has_middleware: bool = False  # of an `MCPApp(...)` in it
    has_auth: bool = False  # of an `MCPApp(...)` in it, also when that is uncertain
    tools: tuple[str, ...] = ()  # the names of the functions that are tools, in source order
    notes: tuple[Note, ...] = ()


def scan_source(source: bytes, path: Path, folder: Path) -> ScannedFile:
    """Return what a file declares."""
    if not _HINT.search(source):
        return ScannedFile("it declares no tools")
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # The last two: nested too deeply.
        # It is loaded if it mentions server_core, so that the syntax error is reported.
        reason = "" if b"server_core" in source else "it has a syntax error, and does not mention server_core"
        return ScannedFile(reason, unreadable=True, has_auth=_AUTH_HINT.search(source) is not None)
    reader = _SourceReader(path, folder)
    reader.read(tree)
    if reader.declares:
        return ScannedFile(
            "",
            reader.identity,
            has_middleware=reader.has_middleware,
            has_auth=reader.has_auth,
            tools=tuple(reader.tools),
            notes=tuple(reader.nested_notes),
        )
    if reader.foreign_module:
        reason = f"its @tool comes from {reader.foreign_module}, not from server_core"
        return ScannedFile(reason, notes=() if reader.arcade_note is None else (reader.arcade_note,))
    if reader.import_note is not None:
        return ScannedFile("its @tool is not imported", notes=(reader.import_note,))
    return ScannedFile("it declares no tools")


class _SourceReader:
    """Reads the syntax tree of a file; the public attributes are the result."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.declares = False
        self.identity: Identity | None = None
        self.has_middleware = False
        self.has_auth = False
        self.tools: list[str] = []
        self.foreign_module = ""  # where a `@tool` that is not ours comes from
        self.nested_notes: list[Note] = []
        self.arcade_note: Note | None = None
        self.import_note: Note | None = None
        self._path = path
        # Files in a folder that is itself a package import from its parent folder.
        above = (folder.parent,) if (folder / "__init__.py").is_file() else ()
        self._folders = (folder, path.parent, folder / "src", *above)
        self._our_names: dict[str, str] = {}  # name in the file -> name in server_core
        self._package_names: set[str] = set()  # names of server_core itself
        self._app_names: set[str] = set()  # names of apps, and what is imported from the project: that may be an app
        self._foreign_names: dict[str, str] = {}  # name in the file -> the module it comes from
        self._inner_nodes: set[int] = set()  # the ids of nodes within a function or class
        self._binds_tool = False

    def read(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        # All imports first, then all calls and assignments: a function may use a name that the file binds after it.
        for node in nodes:
            if isinstance(node, ast.Import):
                self._read_import(node)
            elif isinstance(node, ast.ImportFrom):
                self._read_import_from(node)
        for node in nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                self._read_assignment(node)
            if isinstance(node, ast.Call) and self._calls_decorator(node):
                self.declares = True
            if isinstance(node, ast.Call) and self._is_ours(node.func, {"MCPApp"}):
                self.declares = True
                self.identity = self.identity or identity_of_call(node)
                # `**options` may contain both.
                self.has_middleware |= any(keyword.arg in ("middleware", None) for keyword in node.keywords)
                self.has_auth |= may_have_auth(node)
        self._binds_tool = any(map(_binds_tool, nodes))
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        scopes = [*functions, *(node for node in nodes if isinstance(node, ast.ClassDef))]
        self._inner_nodes = {id(node) for scope in scopes for statement in scope.body for node in ast.walk(statement)}
        for node in sorted(functions, key=lambda function: function.lineno):  # `ast.walk` is breadth first.
            for decorator in node.decorator_list:
                self._read_decorator(node, decorator.func if isinstance(decorator, ast.Call) else decorator)
        for outer in functions:
            self._scan_nested(outer)

    def _read_import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if alias.name.partition(".")[0] == "server_core":
                self._package_names.add(name)
            elif self._in_project(alias.name):
                self._app_names.add(name)
            else:
                self._foreign_names[name] = alias.name
            if alias.name.partition(".")[0] in ARCADES and self.arcade_note is None:
                self.arcade_note = _arcade_note(self._path, node.lineno, alias.name)

    def _read_import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level == 0 and module.partition(".")[0] in ARCADES and self.arcade_note is None:
            self.arcade_note = _arcade_note(self._path, node.lineno, module)
        for alias in node.names:
            name = alias.asname or alias.name
            if node.level == 0 and module.partition(".")[0] == "server_core":
                self._our_names[name] = alias.name
            elif node.level or self._in_project(module):
                self._app_names.add(name)
            else:
                self._foreign_names[name] = module

    def _in_project(self, module: str) -> bool:
        top = module.partition(".")[0]
        return any((folder / f"{top}.py").is_file() or (folder / top).is_dir() for folder in self._folders)

    def _read_assignment(self, node: ast.Assign | ast.AnnAssign) -> None:
        if isinstance(node.value, ast.Call) and self._is_ours(node.value.func, {"MCPApp"}):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            self._app_names.update(_dotted(target) for target in targets)

    def _is_ours(self, function: ast.expr, names: frozenset[str] | set[str]) -> bool:
        if isinstance(function, ast.Name):
            return self._our_names.get(function.id) in names
        return (
            isinstance(function, ast.Attribute)
            and function.attr in names
            and self._root(function) in self._package_names
        )

    def _calls_decorator(self, call: ast.Call) -> bool:
        """Return whether a decorator of ours is called as a function: `tool(partial(f, 1))` or `tool(name="x")(f)`."""
        called = call.func.func if isinstance(call.func, ast.Call) else call.func
        return bool(call.args) and self._is_ours(called, _DECORATORS)

    def _read_decorator(self, function: ast.FunctionDef | ast.AsyncFunctionDef, decorator: ast.expr) -> None:
        if self._declares(decorator):
            self.declares = True
            if self._declares_tool(decorator) and id(function) not in self._inner_nodes:
                self.tools.append(function.name)
        elif isinstance(decorator, ast.Attribute) and decorator.attr in _DECORATORS:
            self.foreign_module = (
                self.foreign_module
                or self._foreign_names.get(self._root(decorator), "")
                or self._arcade_module(decorator)
            )
        elif isinstance(decorator, ast.Name) and decorator.id == "tool":
            self.foreign_module = self.foreign_module or self._foreign_names.get("tool", "")
            if not self._binds_tool and self.import_note is None:
                self.import_note = _import_note(self._path, decorator.lineno)

    def _declares(self, decorator: ast.expr) -> bool:
        if self._is_ours(decorator, _DECORATORS):
            return True
        if not isinstance(decorator, ast.Attribute) or decorator.attr not in _DECORATORS:
            return False
        return not self._app_names.isdisjoint({_dotted(decorator.value), self._root(decorator)})

    def _declares_tool(self, decorator: ast.expr) -> bool:
        if isinstance(decorator, ast.Name):
            return self._our_names.get(decorator.id) == "tool"
        return getattr(decorator, "attr", "") == "tool"

    def _arcade_module(self, decorator: ast.Attribute) -> str:
        """Return the imported Arcade module whose app probably has this decorator, or an empty string."""
        return next((module for module in self._foreign_names.values() if module.partition(".")[0] in ARCADES), "")

    def _scan_nested(self, outer: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Add a note for each decorated function inside another function, which only becomes a tool when that runs."""
        for statement in outer.body:
            for node in ast.walk(statement):
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                decorators = (
                    decorator.func if isinstance(decorator, ast.Call) else decorator
                    for decorator in node.decorator_list
                )
                if any(self._is_ours(decorator, _DECORATORS) for decorator in decorators):
                    self.nested_notes.append(
                        Note(
                            self._path,
                            node.decorator_list[0].lineno,
                            f"{node.name!r} is declared inside the function {outer.name!r}, so it is not served.",
                            "Move it out of that function, or register it there with the tool decorator of an app.",
                            is_moot_if_served=True,
                        )
                    )

    def _root(self, node: ast.expr) -> str:
        return _dotted(node).partition(".")[0]


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def _arcade_note(path: Path, line: int, module: str) -> Note:
    message = f"{path.name} is not served: it imports {module}, so its tools are declared for Arcade."
    return Note(path, line, message, ARCADE_FIX)


def _import_note(path: Path, line: int) -> Note:
    message = f"{path.name} is not served: it does not import the @tool that it uses."
    return Note(path, line, message, "Write `from server_core import tool` at its top.")


def _binds_tool(node: ast.AST) -> bool:
    """Return whether a node may bind the name `tool`."""
    match node:
        case ast.alias(name=name, asname=asname):
            return (asname or name) in ("tool", "*")
        case ast.FunctionDef(name="tool") | ast.AsyncFunctionDef(name="tool") | ast.ClassDef(name="tool"):
            return True
        case ast.Name(id="tool", ctx=ast.Store()) | ast.arg(arg="tool"):
            return True
    return False
