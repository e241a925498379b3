"""Packages as if they were installed: their files and their metadata, in a folder on `sys.path`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TOOL = "from server_core import tool\n\n\n@tool\ndef {name}() -> str:\n    '''Return a word.'''\n    return '{word}'\n"


def tool(name: str, word: str = "hi") -> str:
    """Return the text of a file with one tool."""
    return TOOL.format(name=name, word=word)


class Site:
    """Where packages are installed.

    Args:
        path: a folder on `sys.path`.
        sources: where the files of editable packages lie.
    """

    def __init__(self, path: Path, sources: Path) -> None:
        self.path = path
        self.sources = sources
        self.tops: set[str] = set()

    def install(
        self,
        name: str,
        files: dict[str, str],
        *,
        version: str = "1.2.0",
        entry: str = "",
        more: str = "",
        editable: bool = False,
    ) -> Path:
        """Install a package and return where its files lie.

        Args:
            name: of the distribution.
            files: path below that folder -> text.
            version: its version.
            entry: the value of an entry point as Arcade's packages have it.
            more: further lines of the metadata.
            editable: the files lie elsewhere.
        """
        place = self.sources if editable else self.path
        for file, text in files.items():
            self.tops.add(Path(file).parts[0].removesuffix(".py"))
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).write_text(text)
        facts = self.path / f"{name.replace('-', '_')}-{version}.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{more}")
        (facts / "RECORD").write_text("".join(f"{file},,\n" for file in files))
        if entry:
            (facts / "entry_points.txt").write_text(f"[arcade_toolkits]\ntoolkit_name = {entry}\n")
        return place


@contextmanager
def site_at(folder: Path) -> Iterator[Site]:
    """Let packages be installed in a folder, and forget what was imported of them."""
    site = Site(folder / "site-packages", folder / "sources")
    site.path.mkdir()
    site.sources.mkdir()
    places = [str(site.path), str(site.sources)]
    sys.path[:0] = places
    try:
        yield site
    finally:
        for place in places:
            sys.path.remove(place)
            sys.path_importer_cache.pop(place, None)
        for name in [name for name in sys.modules if name.partition(".")[0] in site.tops]:
            del sys.modules[name]
