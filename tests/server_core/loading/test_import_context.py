"""What files set in context variables while they are imported is there in each call of what is in them."""

import asyncio
from pathlib import Path
from textwrap import dedent

from tests.waiting import within
from workbench.testing import Client

FILE = dedent(
    """
    import decimal
    from contextvars import ContextVar

    from server_core import Context, prompt, resource, tool

    decimal.getcontext().prec = 5
    mode = ContextVar("mode")
    mode.set("set on import")

    @tool
    def on_a_thread() -> str:
        "A third."
        return f"{decimal.Decimal(1) / 3} {mode.get()}"

    @tool
    async def on_the_loop() -> str:
        "A third."
        return f"{decimal.Decimal(1) / 3} {mode.get()}"

    @tool
    async def set_it_for_itself() -> str:
        "Set it."
        mode.set("set by a call")
        return mode.get()

    @tool
    async def set_it_and_call(context: Context) -> str:
        "Set it, and call another tool."
        mode.set("set by the outer call")
        result = await context.tools.call_raw("on_the_loop", {})
        return result.content[0].text

    @resource("example://third")
    def third() -> str:
        return str(decimal.Decimal(1) / 3)

    @prompt
    def ask() -> str:
        return str(decimal.Decimal(1) / 3)
    """
)


async def test_context_variables_set_on_import_are_available_in_every_call(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(FILE)
    async with Client(tmp_path) as client:
        for tool in ("on_a_thread", "on_the_loop", "on_the_loop"):
            assert (await client.call(tool)).text == "0.33333 set on import"
        assert (await client.read_resource("example://third")).text == "0.33333"
        assert "0.33333" in str(await client.get_prompt("ask"))


async def test_context_values_set_in_a_call_apply_to_it_and_its_nested_calls(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(FILE)
    async with Client(tmp_path) as client:
        assert (await client.call("set_it_for_itself")).text == "set by a call"
        assert (await client.call("set_it_and_call")).text == "0.33333 set by the outer call"
        both = await within(asyncio.gather(client.call("set_it_for_itself"), client.call("on_the_loop")))
        assert [item.text for item in both] == ["set by a call", "0.33333 set on import"]


async def test_files_that_set_nothing_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(
        "from server_core import tool\n\n@tool\ndef one() -> int:\n    'One.'\n    return 1\n"
    )
    from server_core.loading.file_source import FileSource
    from server_core.loading.project import Project

    assert Project(FileSource(tmp_path)).load().context_values == ()
