"""Which part may import which: the rules of ARCHITECTURE.md, kept by reading every import with `ast`.

Imports inside functions count as well: a rule that a late import gets around is no rule.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("server_core", "workbench", "scaffolds")

IO = {
    "asyncio", "concurrent", "http", "multiprocessing", "os", "select", "selectors", "shutil", "signal", "socket",
    "sqlite3", "ssl", "subprocess", "tempfile", "threading",
}  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """What the modules under one name must not import.

    Attributes:
        part: the module or package that the rule is about.
        never: names that none of its modules imports, nor anything under them.
        but: what is allowed all the same, among those names.
        outside: whether it may import what is neither its own project nor the standard library.
        excused: modules under `part` that the rule does not hold for.
    """

    part: str
    never: frozenset[str]
    but: frozenset[str] = frozenset()
    outside: bool = True
    excused: frozenset[str] = frozenset()


def _rule(
    part: str, never: set[str], but: set[str] | None = None, *, outside: bool = True, excused: set[str] | None = None
) -> Rule:
    return Rule(part, frozenset(never), frozenset(but or ()), outside, frozenset(excused or ()))


EDGES = {f"server_core.{name}" for name in ("core", "link", "capture", "transports", "serving", "__main__")}

# What knows the author's code: what it declares, a call of it, and what stands around that.
AUTHORS = {
    f"server_core.{name}" for name in ("app", "catalog", "execution", "middleware", "auth", "tasks", "telemetry")
}

RULES = (
    _rule("server_core", {"workbench", "scaffolds", "benchmarks", "tests", "textual", "rich", "typer"}),
    _rule("server_core.errors", {"server_core"}, {"server_core.errors"}, outside=False),
    _rule(
        "server_core.records.masking",
        {"server_core"},
        but={"server_core.records.masking", "server_core.protocol"},
        outside=False,
    ),
    _rule("server_core.runtime.plain", {"server_core"} | IO, outside=False),
    _rule(
        "server_core.protocol",
        {"server_core", "time"} | IO,
        {"server_core.protocol", "server_core.errors"},
        outside=False,
    ),
    _rule("server_core.catalog", EDGES | AUTHORS - {"server_core.catalog", "server_core.auth"}),
    _rule("server_core.execution", EDGES - {"server_core.serving"}),
    _rule("server_core.middleware", EDGES - {"server_core.serving"}),
    _rule("server_core.auth", EDGES | AUTHORS - {"server_core.auth", "server_core.catalog"}),
    _rule("server_core.adapters", EDGES | AUTHORS - {"server_core.catalog"}),
    _rule("server_core.settings", EDGES | AUTHORS - {"server_core.catalog"}),
    _rule("server_core.secrets", EDGES | AUTHORS - {"server_core.catalog"}),
    _rule("server_core.resource_server", EDGES | AUTHORS),
    _rule("server_core.oauth", EDGES | AUTHORS),
    _rule("server_core.serving", EDGES - {"server_core.serving", "server_core.transports"}),
    _rule("server_core.transports", EDGES - {"server_core.transports"} | AUTHORS),
    _rule("server_core.records.capture", {"server_core.core", "server_core.link", "server_core.serving.server"}),
    _rule("workbench", {"textual"}, excused={"workbench.tui"}),
    _rule("workbench", {"workbench.tui"}, excused={"workbench.tui", "workbench.cli", "workbench.__main__"}),
    _rule("workbench", {"workbench.cli"}, excused={"workbench.cli", "workbench.__main__"}),
    _rule("workbench.link", {"workbench"}, {"workbench.link"}),
    _rule("workbench.client", {"workbench"}, {"workbench.client", "workbench.model"}),
    _rule("workbench.replay", {"workbench"}, {"workbench.replay", "workbench.client", "workbench.model"}),
    _rule("workbench.testing", {"workbench"}, {"workbench.testing", "workbench.client", "workbench.model"}),
    _rule("workbench", {"workbench.testing"}, excused={"workbench.testing"}),
    _rule("workbench", {"pytest"}, excused={"workbench.testing.plugin"}),
    _rule(
        "workbench.model",
        {"workbench", "server_core"} | IO,
        {"workbench.model"} | {f"server_core.{name}" for name in ("tap", "protocol", "errors", "masking", "plain")},
    ),
    _rule("scaffolds", {"workbench", "server_core"}, {"server_core.errors", "server_core.runtime.places"}),
)


def _within(name: str, part: str) -> bool:
    return name == part or name.startswith(part + ".")


def _modules() -> Iterator[tuple[str, Path]]:
    """Yield every module of the product; the files of templates are projects of their own."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if package == "scaffolds" and len(parts) > 2:
                continue
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def _imports(module: str, source: str, *, is_package: bool) -> Iterator[tuple[str, int]]:
    """Yield the absolute name of everything that a source text imports, with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                parents = module.split(".") if is_package else module.split(".")[:-1]
                parents = parents[: len(parents) - node.level + 1]
                origin = ".".join([*parents, *([origin] if origin else [])])
            # `from package import module` reaches the module; a name that is no module does no harm here.
            yield from ((f"{origin}.{alias.name}", node.lineno) for alias in node.names)


def _imported_as_it_is_loaded(module: str, path: Path) -> Iterator[str]:
    """Yield the name of everything that a module imports at once: not in its functions, and not for types alone."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (name for name, _ in _imports(module, ast.unparse(node), is_package=path.name == "__init__.py"))


def _broken(rule: Rule, name: str) -> bool:
    if any(_within(name, one) for one in rule.but):
        return False
    if any(_within(name, one) for one in rule.never):
        return True
    top = name.partition(".")[0]
    return not rule.outside and top not in sys.stdlib_module_names and top not in PACKAGES


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.part}-{'-'.join(sorted(rule.never))[:40]}")
def test_every_part_imports_only_what_it_may(rule: Rule) -> None:
    breaches = [
        f"{path.relative_to(ROOT)}:{line}: {module} imports {name}"
        for module, path in _modules()
        if _within(module, rule.part) and not any(_within(module, one) for one in rule.excused)
        for name, line in _imports(module, path.read_text(encoding="utf-8"), is_package=path.name == "__init__.py")
        if _broken(rule, name)
    ]
    assert not breaches, "\n".join(breaches)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.part}-{'-'.join(sorted(rule.never))[:40]}")
def test_a_rule_is_about_something_that_exists(rule: Rule) -> None:
    modules = [module for module, _ in _modules()]
    for part in (rule.part, *rule.excused, *(one for one in rule.but if one.partition(".")[0] in PACKAGES)):
        assert any(_within(module, part) for module in modules), part


def test_no_packages_import_each_other_in_a_circle_as_they_are_loaded() -> None:
    modules = dict(_modules())
    parts = {".".join(module.split(".")[:2]) for module in modules}

    def part(name: str) -> str:
        top = ".".join(name.split(".")[:2])
        return top if top in parts else name.partition(".")[0]

    needed: dict[str, set[str]] = {one: set() for one in parts}
    for module, path in modules.items():
        for name in _imported_as_it_is_loaded(module, path):
            if name.partition(".")[0] in PACKAGES:
                needed[part(module)].add(part(name))
    loaded: set[str] = set()
    while ready := {one for one, others in needed.items() if one not in loaded and others <= loaded | {one}}:
        loaded |= ready
    assert sorted(parts - loaded) == []


def test_imports_are_read_in_every_form() -> None:
    source = "import a.b\nfrom c import d\ndef f():\n    from . import e\n    from .g import h\n    from ..i import j\n"
    names = [name for name, _ in _imports("top.mid.low", source, is_package=False)]
    assert sorted(names) == ["a.b", "c.d", "top.i.j", "top.mid.e", "top.mid.g.h"]
    assert [name for name, _ in _imports("top.mid", "from . import e", is_package=True)] == ["top.mid.e"]


def test_a_breach_is_seen() -> None:
    rule = _rule("server_core.protocol", {"server_core", "asyncio"}, {"server_core.errors"}, outside=False)
    assert _broken(rule, "asyncio.sleep")
    assert _broken(rule, "server_core.records.tap.Tap")
    assert _broken(rule, "httpx.Client")
    assert not _broken(rule, "server_core.errors.ProtocolError")
    assert not _broken(rule, "json.loads")


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for folder in (*PACKAGES, "benchmarks", "scripts", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (text := path.read_text(encoding="utf-8")).strip() and ast.get_docstring(ast.parse(text)) is None
    ]
    assert not silent
