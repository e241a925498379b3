"""The vocabulary of CONTRIBUTING.md, as far as names can keep it."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tables import each_row

ROOT = Path(__file__).parents[1]
FOLDERS = ("server_core", "workbench", "scaffolds", "scripts", "benchmarks")
"""Folders whose class names are unique; those of tests need not be."""
AVOIDED = {
    "tell", "tells", "told", "telling", "say", "says", "said", "saying", "one", "ones", "found", "heard", "unheard",
    "misfit", "misfits", "whereabouts", "news", "desk", "fence", "nobody", "somebody", "whoever", "anew",
}  # fmt: skip
IN_SENTENCES = {"one", "ones", "found"}
"""Words that are avoided as names, and plain English in the sentence that names a test."""
STANDARD = {
    "METHOD_NOT_FOUND", "RESOURCE_NOT_FOUND", "UPSTREAM_RUNTIME_NOT_FOUND", "NotFoundError", "ResourceNotFound",
    "ProblemsFound", "oneOf", "say_hello",
}  # fmt: skip
"""Names of JSON-RPC, MCP and JSON Schema, what authors of tools import, and the tool of the example in docs/apps.md."""

SHARED_CLASS_NAMES = {"EmbeddedResource", "ResourceLink"}
"""Content of MCP: a class that authors return, and the object of the wire that they receive; both are public names."""

AVOIDED_IN_TEXTS = re.compile(r"\b(tell|tells|told|telling|says?|said|nobody|somebody|whoever|anew)\b", re.IGNORECASE)
"""In messages, help and docstrings of the command line and the terminal."""


def names_in(source: str) -> Iterator[tuple[str, int]]:
    """Yield the names that a source text gives, with their lines: of functions, parameters, variables, attributes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def avoided_in(source: str) -> Iterator[tuple[str, int]]:
    """Yield the names with a word that CONTRIBUTING.md avoids."""
    for name, line in names_in(source):
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")
        avoided = AVOIDED - IN_SENTENCES if name.startswith("test_") else AVOIDED
        if name not in STANDARD and not avoided.isdisjoint(words):
            yield name, line


@each_row("folder", [*FOLDERS, "tests"])
def test_names_are_of_the_vocabulary(folder: str) -> None:
    assert [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name, line in avoided_in(path.read_text("utf-8"))
    ] == []


def test_avoided_words_are_noticed_in_every_kind_of_name() -> None:
    source = "class Told: ...\ndef tell(said, *, one=1):\n    found = self.last_news = 2\n    method_not_said = 3\n"
    names = ["Told", "tell", "said", "one", "found", "last_news", "method_not_said"]
    assert sorted(name for name, _ in avoided_in(source)) == sorted(names)
    assert list(avoided_in("class ResourceNotFound: ...\nstone = toldo = foundation = 1\n")) == []
    sentences = "def test_one_item_is_found(): ...\ndef test_a_client_is_told(): ...\n"
    assert [name for name, _ in avoided_in(sentences)] == ["test_a_client_is_told"]


def test_class_names_are_unique() -> None:
    places = defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    shared = {name: lines for name, lines in places.items() if len(lines) > 1}
    assert {name: lines for name, lines in shared.items() if name not in SHARED_CLASS_NAMES} == {}
    assert shared.keys() == SHARED_CLASS_NAMES


@pytest.mark.parametrize("folder", ["workbench", "scaffolds"])
def test_texts_are_of_the_vocabulary(folder: str) -> None:
    assert [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".md", ".toml")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if AVOIDED_IN_TEXTS.search(line)
    ] == []
