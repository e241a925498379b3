"""The page about the context is correct: each of its examples works as described, with a client that answers."""

from pathlib import Path
from typing import Any

import pytest

from server_core.core import Core
from server_core.transports.memory import MemoryChannel
from tests.test_documents import ROOT, blocks
from tests.waiting import within
from workbench.client.questions import PendingQuestions, Question
from workbench.client.session import ClientSession

pytestmark = pytest.mark.promises("context")

EXAMPLES = blocks(ROOT / "docs" / "context.md", "python")
CALLS: list[tuple[str, dict[str, Any], Any]] = [
    ("count", {"to": 3}, 3),
    ("ship", {}, "To Ada in eu-1: yes"),
    ("sign", {}, "accept"),
    ("research", {"question": "What is tea?"}, "a leaf"),
    ("describe", {}, "6 characters, from one of 2 tools"),
    ("look", {}, ["tea, coffee", "Write a kind letter.", "shop://goods", "letter"]),
]


def answer(question: Question) -> bool:
    if question.kind == "sampling":
        asked = question.params["messages"][-1]["content"]
        if isinstance(asked, dict):
            use = {"type": "tool_use", "id": "u1", "name": "search", "input": {}}
            return question.answer({"role": "assistant", "content": [use], "model": "m", "stopReason": "toolUse"})
        assert asked[0]["type"] == "tool_result"
        return question.reply("a leaf")
    if question.mode == "url":
        return question.accept()
    fields = question.params["requestedSchema"]["properties"]
    return question.accept({"value": "yes"} if "value" in fields else {"name": "Ada", "region": "eu-1"})


@pytest.mark.parametrize(("tool", "arguments", "expected"), CALLS, ids=[name for name, _, _ in CALLS])
async def test_an_example_does_what_it_promises(
    tool: str, arguments: dict[str, Any], expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", "secret")
    (source,) = [text for text in EXAMPLES if f"def {tool}(" in text]
    assert await called(source, tool, arguments, tmp_path) == expected


async def test_a_call_knows_its_user(tmp_path: Path) -> None:
    (source,) = [text for text in EXAMPLES if "def introduce(" in text]
    result = await called(source, "introduce", {}, tmp_path)
    assert result["session"]
    assert result["user"]
    assert result["folder"] == "file:///work"


async def called(source: str, tool: str, arguments: dict[str, Any], folder: Path) -> Any:
    """Return what a tool of a file with this text gives."""
    (folder / "example.py").write_text(source, encoding="utf-8")
    core = Core(project=folder, link=False, capture=False)
    await within(core.start())
    session = await within(
        ClientSession.open(MemoryChannel(core), questions=PendingQuestions([answer]), roots=[{"uri": "file:///work"}])
    )
    try:
        result = await within(session.call_tool(tool, arguments).result())
        assert result.get("isError") is not True, result
        structured = result.get("structuredContent", {"result": result["content"][0]["text"]})
        return structured["result"] if set(structured) == {"result"} else structured
    finally:
        await within(session.close())
        await within(core.stop())
