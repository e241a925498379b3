"""Print the catalog of a server: the implementation of `workbench list`."""

from typing import Any

from workbench.cli import output
from workbench.cli.command_run import DONE
from workbench.client.target import Era, Target
from workbench.model.short_text import first_paragraph, shortened

Items = list[dict[str, Any]]

# Part of the catalog -> the member that identifies its items.
_KEYS = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate", "prompts": "name"}
_HEADINGS = {"tools": "tools", "resources": "resources", "resourceTemplates": "templates", "prompts": "prompts"}


async def list_catalog(target: Target, as_json: bool, era: Era = Era.AUTO, timeout: float | None = None) -> int:
    from workbench.cli.server_session import check_not_empty, connected

    async with connected(target, era, timeout=timeout) as session:
        parts = {
            "tools": await session.list_tools(),
            "resources": await session.list_resources(),
            "resourceTemplates": await session.list_resource_templates(),
            "prompts": await session.list_prompts(),
        }
    check_not_empty(target, *parts.values())
    if as_json:
        output.print_json(parts)
    else:
        _print_parts(parts)
    return DONE


def _print_parts(parts: dict[str, Items]) -> None:
    rows: list[tuple[str, ...]] = []
    for part, items in parts.items():
        rows += [("", "")] if rows and items else []
        rows += [(_HEADINGS[part], "")] if items else []
        rows += [(f"  {_line(item.get(_KEYS[part]))}", _line(item.get("description"))) for item in items]
    output.print_table(rows)


def _line(value: Any) -> str:
    return shortened(first_paragraph(str(value or "")), 100)
