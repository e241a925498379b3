"""Parameters of any name: names that frameworks use are passed like others."""

from typing import Any

import pytest

from server_core.execution.run import run_tool
from tests.server_core.ports import Call

pytestmark = pytest.mark.promises("types")

NAMES = [
    "func", "function", "definition", "input_model", "output_model", "context", "model_config", "model_fields", "self",
    "cls", "copy", "json", "arguments", "name", "tool", "callback", "args", "kwargs", "schema", "_hidden", "validate",
]  # fmt: skip


def taking(name: str, *, is_async: bool = False, with_context: bool = False) -> Any:
    """Return a function with one parameter of this name, whose value it returns."""
    first = "call: Context, " if with_context else ""
    names: dict[str, Any] = {}
    exec(
        f"from server_core import Context\n{'async ' if is_async else ''}def take({first}{name}: str) -> str:\n"
        f"    return {name}",
        names,
    )
    return names["take"]


@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
@pytest.mark.parametrize("with_context", [False, True], ids=["alone", "context"])
async def test_a_parameter_of_any_name_is_passed(is_async: bool, with_context: bool) -> None:
    for name in NAMES:
        call = Call(taking(name, is_async=is_async, with_context=with_context))
        assert list(call.tool.input_schema["properties"]) == [name]
        result = await run_tool(call.tool, {name: "x"}, call.context)
        assert result["content"] == [{"type": "text", "text": "x"}]


async def test_a_word_of_a_framework_is_an_unknown_argument_if_the_tool_has_no_such_parameter() -> None:
    for name in NAMES:
        call = Call(taking("text"))
        result = await run_tool(call.tool, {"text": "x", name: "y"}, call.context)
        assert result["isError"] is True
        assert f"Invalid input: {name}: Extra inputs are not permitted" in result["content"][0]["text"]
