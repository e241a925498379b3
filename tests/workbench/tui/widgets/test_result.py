"""Results, part by part: text, structured content, media, failures."""

from typing import Any

import pytest
from textual.app import App, ComposeResult

from server_core.protocol.envelope import SERVER_INFO
from tests.workbench.tui.driving import screen_text
from workbench.model.catalog import OfferKind
from workbench.model.history import CallRun
from workbench.model.traffic.failure_details import FailureDetails
from workbench.tui.widgets.result import ResultView

pytestmark = pytest.mark.promises("debug exposure")


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield ResultView()


async def shown(
    result: dict[str, Any],
    kind: OfferKind = OfferKind.TOOL,
    width: int = 80,
    failure_details: FailureDetails | None = None,
) -> str:
    """Return the text of the view of a result."""
    run = CallRun(1, "greet", {}, 0.0, failure_details=failure_details)
    run.finish(result, 1.0)
    app = Host()
    async with app.run_test(size=(width, 40)) as pilot:
        app.query_one(ResultView).show_run(kind, run)
        await pilot.pause()
        return screen_text(app)  # type: ignore[arg-type]


def content(**item: Any) -> dict[str, Any]:
    return {"content": [item]}


@pytest.mark.parametrize(
    ("result", "parts"),
    [
        (content(type="text", text="Hello"), ["text", "Hello"]),
        (content(type="text", text='{"a": 1}'), ["text · JSON", '"a": 1']),
        (content(type="text", text=""), ['text: "" (empty)']),
        (content(type="image", mimeType="image/png", data="A" * 4096), ["image", "image/png image, 3.0 KB"]),
        (content(type="audio", mimeType="audio/wav", data="AAAA"), ["audio", "audio/wav audio, 3 B"]),
        (content(type="resource_link", uri="demo://menu", name="menu"), ["resource link", "demo://menu menu"]),
        (content(type="resource", resource={"uri": "demo://a", "text": "soup"}), ["resource · demo://a, 4 B", "soup"]),
        (content(type="resource", resource={"uri": "demo://a", "blob": "AAAA"}), ["demo://a, 3 B", "binary"]),
        (content(type="hologram", x=1), ["hologram", '"x": 1']),
        ({"content": []}, ["Empty result: the tool succeeded and returned no content."]),
        ({}, ["Empty result: the tool succeeded and returned no content."]),
        ({"content": [], "structuredContent": {"n": None}}, ["structured content", '"n": null']),
        ({"content": "nonsense", "structuredContent": [1]}, ["structured content"]),
        ({"content": [], "isError": True}, ["✗ tool error", "without a message"]),
        ({"content": [], "_meta": {"trace": 7}}, ["_meta", '"trace": 7']),
    ],
)
async def test_each_kind_of_content_has_its_own_heading(result: dict[str, Any], parts: list[str]) -> None:
    text = await shown(result)
    assert all(part in text for part in parts)


@pytest.mark.parametrize("more", [{}, {"isError": True, "_meta": {"arcade": {"errorKind": "FATAL"}}}])
async def test_the_server_info_is_not_shown_with_each_result(more: dict[str, Any]) -> None:
    meta = {**more.get("_meta", {}), SERVER_INFO: {"name": "cafe"}}
    text = await shown({**content(type="text", text="hello"), **more, "_meta": meta})
    assert "hello" in text
    assert "_meta" not in text


def failed(kind: str, text: str, status: int) -> dict[str, Any]:
    meta = {"arcade": {"errorKind": kind, "canRetry": False, "statusCode": status}}
    return {"isError": True, "content": [{"type": "text", "text": text}], "_meta": meta}


async def test_a_crash_is_shown_with_the_details_for_its_author() -> None:
    failure_details = FailureDetails(
        1, "greet", "It broke.", "KeyError: 'soup'", "/a/b.py:12", "Traceback:\n  in greet", {"k": 1}, ("Passed over.",)
    )
    text = await shown(failed("TOOL_RUNTIME_FATAL", "It broke.", 500), failure_details=failure_details)
    for part in (
        "✗ TOOL_RUNTIME_FATAL",
        "for the developer",
        "KeyError: 'soup'",
        "raised at",
        "/a/b.py:12",
        "in greet",
    ):
        assert part in text
    assert '"k": 1' in text
    assert "Passed over." in text
    assert "HTTP" not in text


async def test_the_line_that_raised_comes_right_after_the_message() -> None:
    failure_details = FailureDetails(1, "greet", "It broke.", "KeyError: 'soup'", "/a/b.py:12")
    text = await shown(failed("TOOL_RUNTIME_FATAL", "It broke.", 500), failure_details=failure_details)
    assert text.index("It broke.") < text.index("/a/b.py:12") < text.index("for the developer")


async def test_equal_text_and_structured_content_are_shown_once() -> None:
    text = await shown({**content(type="text", text='{"n": 1}'), "structuredContent": {"n": 1}})
    assert "text and structured content" in text
    assert text.count('"n"') == 1


async def test_the_details_of_another_failure_are_not_shown() -> None:
    failure_details = FailureDetails(1, "greet", "Something else.", "KeyError: 'soup'")
    assert "soup" not in await shown(failed("TOOL_RUNTIME_FATAL", "It broke.", 500), failure_details=failure_details)


async def test_the_status_of_a_service_behind_the_tool_is_shown_as_an_http_status() -> None:
    assert "✗ UPSTREAM_RUNTIME_NOT_FOUND · HTTP 404" in await shown(failed("UPSTREAM_RUNTIME_NOT_FOUND", "Gone.", 404))


async def test_an_empty_result_is_not_an_empty_text() -> None:
    assert await shown({"content": []}) != await shown(content(type="text", text=""))


async def test_texts_are_folded_between_words() -> None:
    text = await shown(content(type="text", text="a longword " * 8), width=40)
    assert all(row.strip().endswith(("a", "longword", "text", "")) for row in text.splitlines())
    assert text.count("longword") == 8


async def test_line_breaks_and_indents_of_a_text_stay() -> None:
    assert "- a\n     - b" in await shown(content(type="text", text="- a\n    - b"))


@pytest.mark.parametrize(
    ("kind", "result", "part"),
    [
        (OfferKind.PROMPT, {"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}]}, "user · text"),
        (OfferKind.PROMPT, {"messages": []}, "No messages."),
        (OfferKind.PROMPT, {"messages": [{"role": "user", "content": "odd"}]}, "odd"),
        (OfferKind.RESOURCE, {"contents": [{"uri": "demo://menu", "text": "soup"}]}, "soup"),
        (OfferKind.RESOURCE, {"contents": []}, "Empty result: the resource has no contents."),
    ],
)
async def test_prompts_and_resources_have_their_own_shape(kind: OfferKind, result: dict[str, Any], part: str) -> None:
    assert part in await shown(result, kind)
