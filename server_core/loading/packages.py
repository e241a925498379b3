"""Installed packages of tools: found, described by their metadata, and looked through without importing them.

A package counts as installed when its metadata is: a wheel as well as an editable install, whose files lie elsewhere.
"""

import ast
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from server_core.catalog.toolkit import Toolkit
from server_core.errors import ConfigurationError, ToolkitLoadError
from server_core.loading.discovery import Discoverer, Discovery

PREFIX = "arcade_"
# Arcade's own libraries, which hold no tools.
_LIBRARIES = frozenset({"arcade_ai", "arcade_core", "arcade_evals", "arcade_mcp", "arcade_mcp_server", "arcade_serve",
                        "arcade_tdk"})  # fmt: skip

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Package:
    """A package of tools.

    Attributes:
        facts: what its metadata says, as a toolkit without tools.
        module: the name that it is imported by.
        place: its folder, or its one file.
    """

    facts: Toolkit
    module: str
    place: Path

    @property
    def is_editable(self) -> bool:
        """Whether its files lie where its author works on them."""
        return not {"site-packages", "dist-packages"}.intersection(self.place.parts)

    @cached_property
    def toolkit(self) -> Toolkit:
        """The toolkit that it is."""
        discovery = self.discover()
        tools = {self.name_of(file): names for file, names in discovery.tools.items() if names}
        return replace(self.facts, tools=tools)

    def discover(self, discoverer: Discoverer | None = None) -> Discovery:
        """Return its files as they are now; the program that runs is left out, because it has not ended yet.

        Args:
            discoverer: knows what has been looked at before.

        Raises:
            ToolkitLoadError: when it cannot be read, or none of its files declares anything.
        """
        try:
            found = (discoverer or Discoverer()).discover(self.place)
        except ConfigurationError as error:
            raise ToolkitLoadError(str(error)) from error
        running = tuple(file for file in found.files if self._is_running(file))
        files = tuple(file for file in found.files if file not in running)
        if not files:
            raise ToolkitLoadError(f"No tools found in package {self.facts.package_name}")
        skipped = (*found.skipped, *((file, "it is the program that runs") for file in running))
        tools = {file: found.tools.get(file, ()) for file in files}
        return replace(found, files=files, skipped=skipped, tools=tools)

    def name_of(self, file: Path) -> str:
        """Return the name of the module that one of its files is."""
        if file == self.place:
            return self.module
        parts = file.relative_to(self.place).with_suffix("").parts
        return ".".join([self.module, *(parts[:-1] if parts[-1] == "__init__" else parts)])

    def checked_toolkit(self) -> Toolkit:
        """Return the toolkit that it is, as long as every file of it can be read as Python.

        Raises:
            ToolkitLoadError: when one cannot, or there are no tools.
        """
        for file in self.discover().files:
            try:
                ast.parse(file.read_bytes(), file)
            except (SyntaxError, ValueError) as error:
                raise ToolkitLoadError(f"Could not import module {self.name_of(file)}. Reason: {error}") from error
        if not self.toolkit.tools:
            raise ToolkitLoadError(f"No tools found in package {self.facts.package_name}")
        return self.toolkit

    def _is_running(self, file: Path) -> bool:
        main = sys.modules.get("__main__")
        running = getattr(main, "__file__", None)
        spec = getattr(main, "__spec__", None)
        return (running is not None and Path(running).resolve() == file.resolve()) or (
            spec is not None and spec.name == self.name_of(file)
        )


Wanted: TypeAlias = tuple[str, Callable[[], Package]]
"""The name of a package, and what opens it."""


def choose_package(name: str) -> Package:
    """Return the package of this name, or of this name behind `arcade_`.

    Raises:
        ToolkitLoadError: when neither is installed, or the one that is has no tools.
    """
    plain = _normalized(name)
    for candidate in (plain, f"{PREFIX}{plain}"):
        if _distribution(candidate) is not None:
            return find_package(candidate)
    raise ToolkitLoadError(f"Package {name!r} not found.")


def find_package(name: str) -> Package:
    """Return an installed package.

    Args:
        name: under which it was installed.

    Raises:
        ToolkitLoadError: when it is not installed, or its files are not found.
    """
    distribution = _distribution(name)
    if distribution is None:
        raise ToolkitLoadError(f"Package {name!r} not found.")
    said: Any = distribution.metadata
    urls = dict(_label_and_url(one) for one in said.get_all("Project-URL") or ())
    facts = Toolkit(
        _toolkit_name(said["Name"] or name),
        distribution.version,
        said.get("Summary"),
        name,
        author=tuple(said.get_all("Author-email") or said.get_all("Author") or ()),
        homepage=said.get("Home-page") or urls.get("homepage"),
        repository=urls.get("repository") or urls.get("source"),
    )
    for module in dict.fromkeys([_normalized(name), *_top_levels(distribution)]):
        if (place := _place_of(module)) is not None:
            return Package(facts, module, place)
    raise ToolkitLoadError(f"Failed to locate package directory for {name!r}.")


def package_in(directory: Path) -> Package:
    """Return the package of a project's folder, which need not be installed.

    Raises:
        ToolkitLoadError: when there is no pyproject.toml, or it cannot be read or names no project.
    """
    import tomllib

    file = directory / "pyproject.toml"
    if not file.is_file():
        raise ToolkitLoadError(f"pyproject.toml not found in {directory}")
    try:
        project = tomllib.loads(file.read_text("utf-8")).get("project", {})
        name = project["name"]
        urls = {label.lower(): url for label, url in project.get("urls", {}).items()}
        authors = tuple(str(one.get("name") or one.get("email", "")) for one in project.get("authors", ()))
    except KeyError as error:
        raise ToolkitLoadError("name not found in pyproject.toml") from error
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise ToolkitLoadError(f"Failed to load metadata from {file}: {error}") from error
    module = _normalized(name)
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
    return Package(facts, module, next((one for one in candidates if one.is_dir()), directory))


def package_of_entry(entry: metadata.EntryPoint) -> Package:
    """Return the package whose entry point this is; the value of that names the toolkit.

    Raises:
        ToolkitLoadError: as for :func:`find_package`, or when the entry point belongs to no package.
    """
    if entry.dist is None:
        raise ToolkitLoadError(
            f"Entry point {entry.name!r} does not have distribution metadata. "
            "This may indicate an incomplete package installation."
        )
    package = find_package(entry.dist.name)
    return replace(package, facts=replace(package.facts, name=_toolkit_name(entry.value)))


@dataclass(frozen=True)
class PackageSearch:
    """What looking for packages came to.

    Attributes:
        packages: each once.
        failures: the name of each that was found or asked for, and is not served -> why.
    """

    packages: tuple[Package, ...]
    failures: Mapping[str, ToolkitLoadError]


def chosen_packages(names: Iterable[str]) -> PackageSearch:
    """Return the packages of these names; see :func:`choose_package`."""
    return _gathered((name, partial(choose_package, name)) for name in names)


def installed_packages() -> PackageSearch:
    """Return every installed package of tools: those with an entry point, then those named `arcade_...`."""
    return _gathered([*_entries(), *_prefixed()])


def installed_toolkits() -> list[Toolkit]:
    """Return every installed toolkit; one that cannot be loaded is logged as a warning."""
    found = installed_packages()
    toolkits = []
    failures = dict(found.failures)
    for package in found.packages:
        try:
            toolkits.append(package.checked_toolkit())
        except ToolkitLoadError as error:
            failures[package.facts.package_name] = error
    for name, reason in failures.items():
        _log.warning("The toolkit %s is skipped: %s", name, reason)
    return toolkits


def _entries() -> Iterator[Wanted]:
    for entry in metadata.entry_points(group="arcade_toolkits", name="toolkit_name"):
        name = entry.dist.name if entry.dist is not None else entry.value
        yield name, partial(package_of_entry, entry)


def _prefixed() -> Iterator[Wanted]:
    names = {_normalized(one.metadata["Name"] or "") for one in metadata.distributions()}
    for name in sorted(names - _LIBRARIES):
        if name.startswith(PREFIX):
            yield name, partial(find_package, name)


def _gathered(wanted: Iterable[Wanted]) -> PackageSearch:
    """What opening each comes to; the first of several by one name counts."""
    packages: dict[str, Package] = {}
    failures: dict[str, ToolkitLoadError] = {}
    for name, opened in wanted:
        if _normalized(name) in packages:
            continue
        try:
            package = opened()
            package.discover()
        except ToolkitLoadError as error:
            failures[name] = error
        else:
            packages.setdefault(_normalized(package.facts.package_name), package)
    return PackageSearch(tuple(packages.values()), failures)


def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except (metadata.PackageNotFoundError, ValueError):
        return None


def _place_of(module: str) -> Path | None:
    try:
        spec = find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve()
    return Path(spec.origin).resolve() if spec.origin and spec.origin.endswith(".py") else None


def _top_levels(distribution: metadata.Distribution) -> list[str]:
    """The names by which its files are imported."""
    if told := distribution.read_text("top_level.txt"):
        return told.split()
    tops = dict.fromkeys(file.parts[0].removesuffix(".py") for file in distribution.files or () if file.suffix == ".py")
    return [one for one in tops if one.isidentifier() and not one.startswith("__editable__")]


def _label_and_url(text: str) -> tuple[str, str]:
    label, _, url = text.partition(",")
    return label.strip().lower(), url.strip()


def _normalized(name: str) -> str:
    """A name as packages are told apart, and mostly imported. Source: PEP 503, normalized names."""
    return re.sub(r"[-_.]+", "_", name.strip()).lower()


def _toolkit_name(name: str) -> str:
    return name.replace("-", "_")
