"""Which folder may import which: the rows of `tests/rooms.py`, kept by reading every import with `ast`.

Imports inside functions count as well: a rule that a late import gets around is no rule.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.rooms import IO, ROOMS, Room
from tests.tables import each_row

ROOT = Path(__file__).parents[1]
PACKAGES = ("server_core", "workbench", "scaffolds")


@dataclass(frozen=True)
class Import:
    """One name that a module imports.

    Attributes:
        name: its absolute name.
        line: where.
        at_once: whether it is imported as the module is loaded: not in a function, and not for types alone.
    """

    name: str
    line: int
    at_once: bool

    @property
    def top(self) -> str:
        """The package or library that the name belongs to."""
        return self.name.partition(".")[0]


@cache
def modules() -> dict[str, Path]:
    """Return every module of the product; the files of templates are projects of their own."""
    paths = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if package != "scaffolds" or len(parts) <= 2:
                paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


@cache
def imports_of(module: str) -> tuple[Import, ...]:
    """Return everything that a module of the product imports."""
    path = modules()[module]
    return tuple(read_imports(module, path.read_text(encoding="utf-8"), is_package=path.name == "__init__.py"))


def read_imports(module: str, source: str, *, is_package: bool) -> Iterator[Import]:
    """Yield everything that a source text imports."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            at_once = node in tree.body
            origin = _origin(node, module, is_package) if isinstance(node, ast.ImportFrom) else ""
            # `from package import module` reaches the module; a name that is no module does no harm here.
            yield from (Import(f"{origin}{alias.name}", node.lineno, at_once) for alias in node.names)


def _origin(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """Return what the names of a `from` import begin with."""
    if not node.level:
        return f"{node.module}."
    parents = module.split(".") if is_package else module.split(".")[:-1]
    parents = parents[: len(parents) - node.level + 1]
    return ".".join([*parents, *([node.module] if node.module else []), ""])


def room_of(name: str) -> str:
    """Return the row of a module, or of a name in one: its folder's, or its own where it lies in none."""
    while name not in modules():
        name = name.rpartition(".")[0]
    folder = name if modules()[name].name == "__init__.py" else name.rpartition(".")[0]
    return name if folder in PACKAGES else folder


def modules_in(room: str) -> Iterator[str]:
    """Yield the modules that a row is about."""
    return (module for module in modules() if room_of(module) == room)


def rooms_in(names: str, package: str) -> set[str]:
    """Return the rows that an entry of a row names."""
    return {name if name in PACKAGES else f"{package}.{name}" for name in names.split()}


def breaches(room: str) -> Iterator[str]:
    """Yield every import that a row does not allow."""
    row, package = ROOMS[room], room.partition(".")[0]
    loads = rooms_in(row.loads, package) | {room}
    core = rooms_in(row.core, "server_core")
    later = rooms_in(row.later, package)
    for module in modules_in(room):
        for imported in imports_of(module):
            if imported.top in PACKAGES:
                allowed = room_of(imported.name) in loads | core | (set() if imported.at_once else later)
            elif imported.top in IO:
                allowed = row.io
            else:
                allowed = imported.top in sys.stdlib_module_names or imported.top in row.libraries.split()
            if not allowed:
                yield f"{modules()[module].relative_to(ROOT)}:{imported.line}: imports {imported.name}"


@each_row("room", ROOMS)
def test_a_folder_imports_only_what_its_row_allows(room: str) -> None:
    assert list(breaches(room)) == []


def test_every_module_has_a_row_and_every_row_has_modules() -> None:
    assert {room_of(module) for module in modules() if not module.startswith("scaffolds")} == set(ROOMS)


@each_row("room", ROOMS)
def test_a_row_allows_only_imports_that_exist(room: str) -> None:
    row, package = ROOMS[room], room.partition(".")[0]
    imported = [entry for module in modules_in(room) for entry in imports_of(module)]
    rooms = {room_of(entry.name) for entry in imported if entry.top in PACKAGES}
    at_once = {room_of(entry.name) for entry in imported if entry.top in PACKAGES and entry.at_once}
    assert rooms_in(row.loads, package) <= at_once
    assert rooms_in(row.later, package) | rooms_in(row.core, "server_core") <= rooms
    tops = {entry.top for entry in imported}
    assert set(row.libraries.split()) <= tops
    assert row.io == bool(tops & IO)


def test_pytest_is_imported_by_its_plugin_alone() -> None:
    importing = [module for module in modules() if any(entry.top == "pytest" for entry in imports_of(module))]
    assert importing == ["workbench.testing.plugin"]


def test_scaffolds_import_what_is_for_paths_and_errors_alone() -> None:
    rooms = {
        room_of(entry.name)
        for module in modules()
        if module.startswith("scaffolds")
        for entry in imports_of(module)
        if entry.top in ("server_core", "workbench")
    }
    assert rooms == {"server_core.errors", "server_core.runtime"}


def test_no_packages_import_each_other_in_a_circle_as_they_are_loaded() -> None:
    parts = {".".join(module.split(".")[:2]) for module in modules()}
    needed: dict[str, set[str]] = {part: set() for part in parts}
    for module in modules():
        for entry in imports_of(module):
            if entry.at_once and entry.top in PACKAGES:
                part = ".".join(entry.name.split(".")[:2])
                needed[".".join(module.split(".")[:2])].add(part if part in parts else entry.top)
    loaded: set[str] = set()
    while ready := {part for part, others in needed.items() if part not in loaded and others <= loaded | {part}}:
        loaded |= ready
    assert sorted(parts - loaded) == []


def test_imports_are_read_in_every_form() -> None:
    source = "import a.b\nfrom c import d\ndef f():\n    from . import e\n    from .g import h\n    from ..i import j\n"
    entries = list(read_imports("top.mid.low", source, is_package=False))
    assert sorted(entry.name for entry in entries) == ["a.b", "c.d", "top.i.j", "top.mid.e", "top.mid.g.h"]
    assert sorted(entry.name for entry in entries if entry.at_once) == ["a.b", "c.d"]
    assert [entry.name for entry in read_imports("top.mid", "from . import e", is_package=True)] == ["top.mid.e"]


def test_a_breach_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROOMS, "server_core.secrets", Room(loads="errors", later="runtime"))
    reported = "\n".join(breaches("server_core.secrets"))
    for name in ("server_core.runtime.paths", "os", "cryptography"):
        assert f": imports {name}" in reported
    assert "imports server_core.errors" not in reported
    assert "imports json" not in reported


def test_every_module_describes_itself() -> None:
    undescribed = [
        str(path.relative_to(ROOT))
        for folder in (*PACKAGES, "benchmarks", "scripts", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (text := path.read_text(encoding="utf-8")).strip() and ast.get_docstring(ast.parse(text)) is None
    ]
    assert not undescribed
