"""Packages of tools: their metadata, their files and their tools, read without importing them.

A package is installed if its metadata is: from a wheel, or as an editable install with its files elsewhere.
"""

import ast
import re
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from server_core.catalog.toolkit import Toolkit
from server_core.errors import ConfigurationError, ToolkitLoadError
from server_core.loading.file_discovery import Discoverer, Discovery

PREFIX = "arcade_"


@dataclass(frozen=True)
class Package:
    """A package of tools."""

    facts: Toolkit  # its metadata, as a toolkit without tools
    module: str  # the name by which it is imported
    path: Path

    @property
    def is_editable(self) -> bool:
        """Whether its files are outside of site-packages, where their author edits them."""
        return not {"site-packages", "dist-packages"}.intersection(self.path.parts)

    @cached_property
    def toolkit(self) -> Toolkit:
        discovery = self.discover()
        tools = {self.name_of(file): names for file, names in discovery.tools.items() if names}
        return replace(self.facts, tools=tools)

    def discover(self, discoverer: Discoverer | None = None) -> Discovery:
        """Return its current files but the running program, not to be imported again; ToolkitLoadError for none."""
        try:
            discovery = (discoverer or Discoverer()).discover(self.path)
        except ConfigurationError as error:
            raise ToolkitLoadError(str(error)) from error
        program = tuple(file for file in discovery.files if self._is_program(file))
        files = tuple(file for file in discovery.files if file not in program)
        if not files:
            raise ToolkitLoadError(f"No tools found in package {self.facts.package_name}")
        skipped = (*discovery.skipped, *((file, "it is the program that runs") for file in program))
        tools = {file: discovery.tools.get(file, ()) for file in files}
        return replace(discovery, files=files, skipped=skipped, tools=tools)

    def name_of(self, file: Path) -> str:
        if file == self.path:
            return self.module
        parts = file.relative_to(self.path).with_suffix("").parts
        return ".".join([self.module, *(parts[:-1] if parts[-1] == "__init__" else parts)])

    def checked_toolkit(self) -> Toolkit:
        """Return its toolkit; ToolkitLoadError if it has no tools, or a file with a syntax error."""
        for file in self.discover().files:
            try:
                ast.parse(file.read_bytes(), file)
            except (SyntaxError, ValueError) as error:
                raise ToolkitLoadError(f"Could not import module {self.name_of(file)}. Reason: {error}") from error
        if not self.toolkit.tools:
            raise ToolkitLoadError(f"No tools found in package {self.facts.package_name}")
        return self.toolkit

    def _is_program(self, file: Path) -> bool:
        """Return whether the file is the running program, started by its path or with `python -m`."""
        main = sys.modules.get("__main__")
        main_file = getattr(main, "__file__", None)
        spec = getattr(main, "__spec__", None)
        return (main_file is not None and Path(main_file).resolve() == file.resolve()) or (
            spec is not None and spec.name == self.name_of(file)
        )


def package_by_name(name: str) -> Package:
    """Return the package with this name, with or without the prefix `arcade_`; ToolkitLoadError if there is none."""
    normalized = normalized_name(name)
    for candidate in (normalized, f"{PREFIX}{normalized}"):
        if _distribution(candidate) is not None:
            return find_package(candidate)
    raise ToolkitLoadError(f"Package {name!r} not found.")


def find_package(name: str) -> Package:
    """Return the package of an installed distribution; ToolkitLoadError if it is missing or cannot be located."""
    distribution = _distribution(name)
    if distribution is None:
        raise ToolkitLoadError(f"Package {name!r} not found.")
    package_metadata: Any = distribution.metadata  # An email message, whose methods its type hints lack.
    urls = dict(_label_and_url(value) for value in package_metadata.get_all("Project-URL") or ())
    facts = Toolkit(
        _toolkit_name(package_metadata["Name"] or name),
        distribution.version,
        package_metadata.get("Summary"),
        name,
        author=tuple(package_metadata.get_all("Author-email") or package_metadata.get_all("Author") or ()),
        homepage=package_metadata.get("Home-page") or urls.get("homepage"),
        repository=urls.get("repository") or urls.get("source"),
    )
    for module in dict.fromkeys([normalized_name(name), *_top_levels(distribution)]):
        if (path := _path_of(module)) is not None:
            return Package(facts, module, path)
    raise ToolkitLoadError(f"Failed to locate package directory for {name!r}.")


def package_in(directory: Path) -> Package:
    """Return the package in a project's folder, installed or not; ToolkitLoadError without a valid pyproject.toml."""
    import tomllib

    file = directory / "pyproject.toml"
    if not file.is_file():
        raise ToolkitLoadError(f"pyproject.toml not found in {directory}")
    try:
        project = tomllib.loads(file.read_text("utf-8")).get("project", {})
        name = project["name"]
        urls = {label.lower(): url for label, url in project.get("urls", {}).items()}
        authors = tuple(str(author.get("name") or author.get("email", "")) for author in project.get("authors", ()))
    except KeyError as error:
        raise ToolkitLoadError("name not found in pyproject.toml") from error
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise ToolkitLoadError(f"Failed to load metadata from {file}: {error}") from error
    module = normalized_name(name)
    facts = Toolkit(
        _toolkit_name(name),
        str(project.get("version", "0.0.0")),
        project.get("description", ""),
        name,
        author=authors,
        homepage=urls.get("homepage"),
        repository=urls.get("repository"),
    )
    candidates = (directory / "src" / module, directory / module)
    return Package(facts, module, next((candidate for candidate in candidates if candidate.is_dir()), directory))


def package_of_entry(entry: metadata.EntryPoint) -> Package:
    """Return the package of an entry point, whose value is the toolkit's name; errors as :func:`find_package`."""
    if entry.dist is None:
        raise ToolkitLoadError(
            f"Entry point {entry.name!r} does not have distribution metadata. "
            "This may indicate an incomplete package installation."
        )
    package = find_package(entry.dist.name)
    return replace(package, facts=replace(package.facts, name=_toolkit_name(entry.value)))


def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except (metadata.PackageNotFoundError, ValueError):
        return None


def _path_of(module: str) -> Path | None:
    try:
        spec = find_spec(module)  # Of a top-level module: nothing is imported.
    except (ImportError, ValueError, AttributeError):  # ValueError: an imported module without a spec.
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve()
    return Path(spec.origin).resolve() if spec.origin and spec.origin.endswith(".py") else None


def _top_levels(distribution: metadata.Distribution) -> list[str]:
    if top_levels := distribution.read_text("top_level.txt"):
        return top_levels.split()
    # Wheels of newer build tools have no such file.
    tops = dict.fromkeys(file.parts[0].removesuffix(".py") for file in distribution.files or () if file.suffix == ".py")
    return [name for name in tops if name.isidentifier() and not name.startswith("__editable__")]


def _label_and_url(text: str) -> tuple[str, str]:
    label, _, url = text.partition(",")
    return label.strip().lower(), url.strip()


def normalized_name(name: str) -> str:
    """Return the normalized name of a package, with underscores. Source: PEP 503, normalized names."""
    return re.sub(r"[-_.]+", "_", name.strip()).lower()


def _toolkit_name(name: str) -> str:
    return name.replace("-", "_")
