"""The help of a tool, as `workbench call TOOL --help` prints it: its description and its parameters."""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from workbench.cli import output
from workbench.cli.command_run import DONE
from workbench.model.json_members import object_in, text_in
from workbench.model.short_text import escaped, escaped_lines

if TYPE_CHECKING:
    from workbench.cli.call_order import CallOrder
    from workbench.model.definitions.parameters import SchemaParameter

_WIDTH = 78
# Of the first column; a longer name has its own line.
_LEFT = 28
_MAX_DEPTH = 3
_MAX_PARAMETERS = 200

Row = tuple[str, str]


async def print_tool_help(order: "CallOrder") -> int:
    """Print the help of the tool of a call, which is not made, and return the exit code."""
    from workbench.cli.call_order import find_tool, list_tools
    from workbench.cli.server_session import connected

    async with connected(order.target, order.era, tool=order.tool, timeout=order.timeout) as session:
        tool = find_tool(order.tool, await list_tools(session, order.timeout), order.target)
    output.print_text(tool_help(tool))
    return DONE


def tool_help(tool: dict[str, Any]) -> str:
    schema = object_in(tool, "inputSchema")
    rows = [row for row, _ in zip(_rows(schema, 0), range(_MAX_PARAMETERS), strict=False)]
    parts = [f"Usage: workbench call {escaped(text_in(tool, 'name'))}{' [KEY=VALUE...]' if rows else ''}"]
    if description := text_in(tool, "description").strip():
        parts.append(textwrap.indent(_wrapped(description, _WIDTH - 2), "  "))
    if rows:
        parts.append("\n".join(["Parameters:", *(line for row in rows for line in _lines(*row))]))
    parts.append("`workbench call --help` lists the options.")
    return "\n\n".join(parts)


def _rows(schema: dict[str, Any], depth: int) -> Iterator[Row]:
    """Yield the parameters of an object, each followed by those of the object that it is, if it is one."""
    from workbench.model.definitions.parameters import parameters
    from workbench.model.forms.schema_document import SchemaDocument

    document = SchemaDocument(schema)
    members = object_in(document.flatten(schema), "properties")
    definitions: dict[str, Any] = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    for parameter in parameters(schema):
        yield f"{'  ' * (depth + 1)}{escaped(parameter.name)} <{parameter.type}>", _description(parameter)
        if depth + 1 < _MAX_DEPTH:
            yield from _rows({**document.flatten(members[parameter.name]), **definitions}, depth + 1)


def _description(parameter: "SchemaParameter") -> str:
    facts = list(parameter.limits)
    if parameter.is_required:
        facts.insert(0, "required")
    if parameter.default:
        facts.append(f"default: {parameter.default}")
    text = " ".join(parameter.description.split())
    return f"{text}  [{'; '.join(facts)}]".strip() if facts else text


def _lines(left: str, right: str) -> Iterator[str]:
    texts = textwrap.wrap(right, _WIDTH - _LEFT)
    if len(left) > _LEFT - 2 or not texts:
        yield left
    else:
        yield left.ljust(_LEFT) + texts.pop(0)
    yield from (" " * _LEFT + text for text in texts)


def _wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.fill(line, width) for line in escaped_lines(text).splitlines())
