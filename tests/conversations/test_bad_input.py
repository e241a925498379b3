"""Bad arguments and failing tools: each call has an answer of a known kind, and the next call works.

Every case runs over memory, and one of each kind over every transport.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from server_core.errors import RemoteError
from server_core.protocol.codes import INVALID_PARAMS, RESOURCE_NOT_FOUND
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from tests.conversations.conftest import TRANSPORTS, World, over, world_of
from tests.conversations.misbehaving import misbehaving
from tests.waiting import within

pytestmark = pytest.mark.promises("call errors", "resources and prompts")

BAD_INPUT, BAD_OUTPUT, FATAL = "TOOL_RUNTIME_BAD_INPUT_VALUE", "TOOL_RUNTIME_BAD_OUTPUT_VALUE", "TOOL_RUNTIME_FATAL"
NO_JSON = "Failed to serialize tool output: the value cannot be represented in JSON."

Case: TypeAlias = tuple[str, dict[str, Any], str, str]

# The tool, its arguments, the kind and the end of the text that answers.
CASES: list[Case] = [
    ("double", {}, BAD_INPUT, "Invalid input: number: Field required"),
    ("double", {"number": "x"}, BAD_INPUT, "a valid integer, unable to parse string as an integer"),
    ("double", {"number": [1]}, BAD_INPUT, "number: Input should be a valid integer"),
    ("double", {"number": None}, BAD_INPUT, "number: Input should be a valid integer"),
    ("double", {"number": 1, "zzz": 2}, BAD_INPUT, "zzz: Extra inputs are not permitted"),
    ("halve", {"number": "NaN"}, BAD_INPUT, "number: Input should be a finite number"),
    ("halve", {"number": 10**400}, BAD_INPUT, "number: Input should be a finite number"),
    ("double", {"number": "9" * 5000}, BAD_INPUT, "as an integer, exceeded maximum size"),
    ("cycle", {}, BAD_OUTPUT, NO_JSON),
    ("nest", {}, BAD_OUTPUT, NO_JSON),
    ("give_a_lock", {}, BAD_OUTPUT, NO_JSON),
    ("give_nan", {}, BAD_OUTPUT, "Failed to serialize tool output: the value does not match its declared type."),
    ("count_far", {}, BAD_OUTPUT, NO_JSON),
    ("mistype", {}, BAD_OUTPUT, "Failed to serialize tool output: the value does not match its declared type."),
    ("generate", {}, BAD_OUTPUT, "Failed to serialize tool output: it is a generator."),
    ("stream", {}, BAD_OUTPUT, "Failed to serialize tool output: it is a generator."),
    ("forget_to_await", {}, BAD_OUTPUT, "Failed to serialize tool output: it is a coroutine that was not awaited."),
    ("flood", {}, BAD_OUTPUT, "Failed to serialize tool output: its size is 100.0 MB, and the limit is 16.8 MB."),
    ("flood_with_numbers", {}, BAD_OUTPUT, "its size is 40.0 MB, and the limit is 16.8 MB."),
    ("quit_at_once", {}, FATAL, "An unhandled SystemExit was raised by the tool."),
    ("quit_on_the_loop", {}, FATAL, "An unhandled SystemExit was raised by the tool."),
    ("interrupt", {}, FATAL, "An unhandled KeyboardInterrupt was raised by the tool."),
    ("interrupt_the_loop", {}, FATAL, "An unhandled KeyboardInterrupt was raised by the tool."),
    ("raise_a_base_exception", {}, FATAL, "An unhandled Own was raised by the tool."),
    ("raise_a_group", {}, FATAL, "An unhandled BaseExceptionGroup was raised by the tool."),
    ("raise_unreadable", {}, FATAL, "An unhandled Unreadable was raised by the tool."),
    ("raise_careless", {}, FATAL, "An unhandled Careless was raised by the tool."),
    ("raise_with_odd_facts", {}, "TOOL_RUNTIME_RETRY", "(its text cannot be read: __str__ raised SystemExit)"),
    ("recurse", {}, FATAL, "An unhandled RecursionError was raised by the tool."),
    ("recurse_on_the_loop", {}, FATAL, "An unhandled RecursionError was raised by the tool."),
    ("stop_iterating", {}, FATAL, "An unhandled RuntimeError was raised by the tool."),
    ("crash", {}, FATAL, "An unhandled ValueError was raised by the tool."),
    ("crash_from", {}, FATAL, "It broke."),
    ("run_out", {}, FATAL, "An unhandled MemoryError was raised by the tool."),
    ("hang", {}, FATAL, "Tool 'hang' did not finish within 0.05 seconds."),
    ("hang_on_a_thread", {}, FATAL, "Tool 'hang_on_a_thread' did not finish within 0.05 seconds."),
]  # fmt: skip

OVER_ALL = {"halve", "flood", "quit_on_the_loop", "recurse"}
"""A bad argument, a result that is too large, an exit and a deep stack."""


@pytest.fixture
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """A server whose tools misbehave, over the transport and in the revision of this run."""
    async with world_of(misbehaving(), request.param, tmp_path) as world:
        yield world


def is_of_an_era(revision: Revision) -> bool:
    return revision in (LATEST, LATEST_STATELESS)


in_both_eras = over(is_of_an_era, tuple(TRANSPORTS))


def each(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=[f"{n}-{case[0]}" for n, case in enumerate(cases)])


async def check(world: World, case: Case) -> None:
    tool, arguments, kind, ending = case
    client = await world.open()
    result = await within(client.call_tool(tool, arguments).result())
    assert result["isError"] is True
    assert result["_meta"]["arcade"]["errorKind"] == kind
    text = result["content"][0]["text"]
    assert text.startswith(f"[{kind}] ")
    assert f" during execution of tool '{tool}': " in text
    assert text.endswith(ending)
    assert "hunter2" not in str(result)
    following = await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    assert following["content"][0]["text"] == "3"


@over(lambda revision: revision is LATEST_STATELESS, ("memory",))
@each(CASES)
async def test_a_call_that_fails_is_answered_and_the_next_call_works(world: World, case: Case) -> None:
    await check(world, case)


@in_both_eras
@each([case for case in CASES if case[0] in OVER_ALL])
async def test_a_failed_call_is_answered_over_every_transport_and_in_both_eras(world: World, case: Case) -> None:
    await check(world, case)


@in_both_eras
async def test_a_tool_that_cancels_itself_has_an_answer_and_the_next_call_works(world: World) -> None:
    client = await world.open()
    with pytest.raises(RemoteError, match="The call was cancelled by its own code"):
        await within(client.call_tool("cancel_yourself", {}).result())
    following = await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    assert following["content"][0]["text"] == "3"


@in_both_eras
@pytest.mark.parametrize(
    ("name", "message"), [("cake", "There is no cake today."), ("soup", "Resource not found: shop://goods/soup")]
)
async def test_a_resource_that_its_author_reports_as_missing_is_not_found_for_clients(
    world: World, name: str, message: str
) -> None:
    client = await world.open()
    with pytest.raises(RemoteError) as caught:
        await within(client.read_resource(f"shop://goods/{name}"))
    code = INVALID_PARAMS if world.revision.stateless else RESOURCE_NOT_FOUND
    assert (caught.value.code, caught.value.message) == (code, message)
    assert caught.value.data == {"uri": f"shop://goods/{name}"}


@in_both_eras
async def test_a_tool_that_changes_folder_and_environment_changes_nothing_for_the_server(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(os.getcwd())
    for name in ("HOME", "PATH"):
        monkeypatch.setenv(name, os.environ[name])
    client = await world.open()
    result = await within(client.call_tool("wander", {"folder": str(tmp_path)}).result())
    assert result["content"][0]["text"] == str(tmp_path.resolve())
    another = await world.open()
    for session in (client, another):
        following = await within(session.call_tool("add", {"a": 1, "b": 2}).result())
        assert following["content"][0]["text"] == "3"
