"""`workbench files`: the state of each Python file of a project, with the reason."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli import console, output
from workbench.cli.command_run import DONE, guarded
from workbench.cli.options import InstalledOption, JsonOption, PackageOption, ProjectOption
from workbench.cli.package_options import choose_packages

if TYPE_CHECKING:
    from server_core.loading.project import Generation, Project


@dataclass(frozen=True)
class FileReport:
    """The state of a file or folder."""

    path: str
    state: str  # "served", "failed" (could not be loaded), "loaded" (declares nothing itself) or "skipped".
    reason: str = ""  # Why it is not served.
    offers: tuple[str, ...] = ()  # Names of tools and prompts, URIs of resources.


def command(
    path: Annotated[Path | None, typer.Argument(help="A folder or file of tools.", show_default="here")] = None,
    project: ProjectOption = None,
    tool_package: PackageOption = "",
    discover_installed: InstalledOption = False,
    as_json: JsonOption = False,
) -> int:
    """Show which Python files are served, with their tools, and why others are not."""

    def show() -> int:
        from workbench.client.target import Target

        target = choose_packages(Target.choose(project, "", (), path), tool_package, discover_installed)
        assert target.project is not None
        return _show(target.project, as_json)

    return guarded(show)


def _show(path: Path, as_json: bool) -> int:
    from server_core.loading.package_source import open_project
    from server_core.process.stdio_guard import StdioGuard
    from server_core.records.tap import Tap
    from server_core.secrets import SecretStore
    from server_core.secrets.declared_secrets import readable_variables, values_before_import

    project, tap = open_project(path), Tap()
    # The author's code may print secrets during its import.
    secrets = SecretStore(project.source.folder)
    tap.masker.set_passwords(readable_variables(secrets))
    tap.masker.set(values_before_import(project.source.discovery.tools, secrets))
    stdio_guard = StdioGuard(tap)
    try:
        generation = project.load()
        project.source.leave()
    finally:
        stdio_guard.close()
    reports = list(report(project, generation))
    if as_json:
        output.print_json({"files": [_json(report) for report in reports]})
    else:
        output.print_table([_row(report) for report in reports])
        output.print_text(_summary(reports))
    for problem in generation.problems:
        if not problem.file:
            console.write(f"{problem.severity}: {problem.message} {problem.fix}")
    return DONE


def report(project: "Project", generation: "Generation") -> Iterable[FileReport]:
    """Return the state of each file, loaded files first."""
    offers = _offers(generation)
    errors = {
        problem.file: f"{problem.message} {problem.fix}".strip()
        for problem in reversed(generation.problems)
        if problem.severity == "error"
    }
    for file in project.source.discovery.tools:
        path = str(file)
        if path in offers:
            yield FileReport(path, "served", offers=tuple(offers[path]))
        elif path in errors:
            yield FileReport(path, "failed", errors[path])
        else:
            yield FileReport(path, "loaded", "it declares nothing that is served")
    for file, reason in project.source.discovery.skipped:
        yield FileReport(str(file), "skipped", errors.get(str(file), reason))


def _offers(generation: "Generation") -> dict[str, list[str]]:
    catalog = generation.catalog
    named: list[tuple[str, Any]] = [*catalog.tools.items(), *catalog.resources.items(), *catalog.prompts.items()]
    named += [(template.uri_template, template) for template in catalog.templates]
    offers: dict[str, list[str]] = {}
    for name, definition in named:
        if definition.source is not None:
            offers.setdefault(definition.source.file, []).append(name)
    return offers


def _json(report: FileReport) -> dict[str, Any]:
    return asdict(report) | {"offers": list(report.offers), "reason": report.reason or None}


def _row(report: FileReport) -> tuple[str, str, str]:
    return report.state, output.path_from_here(report.path), report.reason or ", ".join(report.offers)


def _summary(reports: list[FileReport]) -> str:
    counts = {
        state: sum(report.state == state for report in reports) for state in ("served", "failed", "loaded", "skipped")
    }
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "No Python files."
