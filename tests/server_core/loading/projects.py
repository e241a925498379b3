"""Projects on disk for tests: writing their files, opening them, and reading what was loaded."""

import textwrap
from pathlib import Path
from typing import Any

from server_core.loading.file_source import FileSource
from server_core.loading.project import Generation, Project


class Folder:
    """A folder of tools on disk, and the project in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, **files: str) -> set[Path]:
        """Write files (`a__b` is a/b.py) and return their paths."""
        paths = set()
        for name, text in files.items():
            path = self.path / (name.replace("__", "/") + ".py")
            path = path.with_name("__init__.py") if path.stem == "init" else path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
            paths.add(path)
        return paths

    def open(self) -> Project:
        return Project(FileSource(self.path))


def tool(name: str, body: str = "return 'x'", before: str = "") -> str:
    return f"from server_core import tool\n{before}\n@tool\ndef {name}() -> str:\n    '''D.'''\n    {body}\n"


def names(generation: Generation) -> list[str]:
    return list(generation.catalog.tools)


def run(generation: Generation, name: str) -> Any:
    return generation.catalog.tools[name].function()


def problems_of(generation: Generation) -> list[tuple[str, int, str]]:
    return [(Path(problem.file).name, problem.line, problem.message) for problem in generation.problems]
