"""`workbench lint`: problems of the tools, each line with `FILE:LINE: SEVERITY:` as editors expect of compilers."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from server_core.errors import ConfigurationError
from workbench.cli import output
from workbench.cli.command_run import DONE, FAILED, guarded, run
from workbench.cli.earlier_list import EarlierList, changes_as_json, is_breaking, print_changes
from workbench.cli.options import (
    TARGET_HELP,
    EraOption,
    HeaderOption,
    InstalledOption,
    JsonOption,
    PackageOption,
    ProjectOption,
    UrlOption,
    target_of,
)
from workbench.client.session import ClientSession
from workbench.client.target import Era, Target
from workbench.model.describe import plural
from workbench.model.lint import Cost, Finding, LintReport, lint

_MAX_COSTS = 10
_NO_LOCATION = "-"


def command(
    context: typer.Context,
    path: Annotated[Path | None, typer.Argument(help="A folder or file of tools.", show_default="here")] = None,
    project: ProjectOption = None,
    url: UrlOption = "",
    header: HeaderOption = None,
    era: EraOption = Era.AUTO,
    tool_package: PackageOption = "",
    discover_installed: InstalledOption = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 on advice as well.")] = False,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE", help="Compare with an earlier list, from `workbench list --json`."),
    ] = None,
    since: Annotated[
        str,
        typer.Option("--since", metavar="REVISION", help="Compare with the folder at a git revision, such as main."),
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Check the definitions for models and clients, and show what each costs.

    Exits with 1 on warnings, and on breaking changes since an earlier list or a git revision.
    """

    def lint_it() -> int:
        target = target_of(context, project, url, path, header, tool_package, discover_installed)
        earlier = _earlier_list(target, against, since)
        return run(_lint_server(target, era, earlier, strict=strict, as_json=as_json))

    return guarded(lint_it)


command.__doc__ = f"{command.__doc__} {TARGET_HELP}"


def _earlier_list(target: Target, file: Path | None, revision: str) -> EarlierList | None:
    """Return the list to compare with, if the options name one."""
    if file is not None and revision:
        raise ConfigurationError("choose one to compare with: --against FILE, or --since REVISION")
    if file is not None:
        return EarlierList.read(file)
    if not revision:
        return None
    if target.project is None:
        raise ConfigurationError("--since needs a folder of tools; use --against FILE for other servers")
    from workbench.cli.git_revision import list_at

    return list_at(target.project, revision)


async def _lint_server(target: Target, era: Era, earlier: EarlierList | None, *, strict: bool, as_json: bool) -> int:
    """Print the findings and return the exit code: 1 on warnings and breaking changes, with `strict` on advice too."""
    from workbench.cli.server_session import check_not_empty, reached

    async with reached(target, era) as (session, route):
        listed = await _listed_catalog(session)
        catalog = route.catalog or listed
    problems: list[dict[str, Any]] = catalog.get("problems", [])
    check_not_empty(target, problems, *listed.values())
    report = lint(catalog)
    changes = {} if earlier is None else earlier.changes_to(listed)
    if as_json:
        compared = {} if earlier is None else {"changes": changes_as_json(changes)}
        output.print_json(_as_json(problems, report) | compared)
    else:
        if earlier is not None:
            # What the user has asked for, before the advice about what has not changed.
            print_changes(changes, catalog, earlier.source)
        _print(problems, report)
        _print_costs(report)
    counted = {"error", "warning", "advice"} if strict else {"error", "warning"}
    severities = [str(problem["severity"]) for problem in problems] + [finding.severity for finding in report.findings]
    return FAILED if counted.intersection(severities) or is_breaking(changes) else DONE


async def _listed_catalog(session: ClientSession) -> dict[str, list[dict[str, Any]]]:
    return {
        "tools": await session.list_tools(),
        "resources": await session.list_resources(),
        "templates": await session.list_resource_templates(),
        "prompts": await session.list_prompts(),
    }


def _as_json(problems: list[dict[str, Any]], report: LintReport) -> dict[str, Any]:
    return {
        "problems": problems,
        "findings": [finding.to_json() for finding in report.findings],
        "tokens": {"total": report.tokens, "tools": {cost.tool: cost.tokens for cost in report.costs}},
    }


def _print(problems: list[dict[str, Any]], report: LintReport) -> None:
    for problem in problems:
        output.print_text(_line(problem, problem["severity"], ""))
    for finding in report.findings:
        output.print_text(_line(finding.to_json(), finding.severity, f" [{finding.rule}]"))
    output.print_text(_summary(problems, report.findings))


def _print_costs(report: LintReport) -> None:
    if report.costs:
        output.print_text(f"\n{plural(len(report.costs), 'tool')}, about {report.tokens:,} tokens in every request")
        output.print_table(list(_cost_rows(report.costs)))


def _line(entry: Mapping[str, Any], severity: str, rule: str) -> str:
    place = f"{output.path_from_here(entry['file'])}:{entry['line']}" if entry["file"] else _NO_LOCATION
    return f"{place}: {severity}: {entry['message']} {entry['fix']}{rule}".replace("\n", " ")


def _summary(problems: list[dict[str, Any]], findings: tuple[Finding, ...]) -> str:
    severities = [problem["severity"] for problem in problems] + [finding.severity for finding in findings]
    counts = [
        plural(severities.count(severity), noun)
        for severity, noun in (("error", "error"), ("warning", "warning"))
        if severity in severities
    ]
    advice = severities.count("advice")
    return ", ".join([*counts, *([f"{advice} advice"] if advice else [])]) or "No findings."


def _cost_rows(costs: tuple[Cost, ...]) -> Iterable[tuple[str, ...]]:
    for cost in costs[:_MAX_COSTS]:
        yield f"  {cost.tool}", f"{cost.tokens:>7,}"
    if rest := costs[_MAX_COSTS:]:
        yield f"  {plural(len(rest), 'other')}", f"{sum(cost.tokens for cost in rest):>7,}"
