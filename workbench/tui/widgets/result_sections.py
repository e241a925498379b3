"""The sections in which the outcome of a run is shown; the heading of each names its kind of content."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from server_core.protocol.envelope import SERVER_INFO
from workbench.model import describe
from workbench.model.catalog import OfferKind
from workbench.model.error_texts import ToolFailure, tool_failure
from workbench.model.history import CallRun, RunStatus
from workbench.model.json_members import objects_in
from workbench.model.repeated_content import repeats
from workbench.model.short_text import escaped
from workbench.model.traffic.failure_details import FailureDetails
from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.widgets.sections import Section

ERROR = "result--error"
NOTE = "result--note"


def run_sections(kind: OfferKind, run: CallRun) -> Iterator[Section]:
    """Return the outcome of a run that has ended."""
    if run.status is RunStatus.CANCELLED:
        yield _note("Cancelled: the response is discarded.")
    elif run.error:
        yield text_section("no result", run.error, ERROR)
    elif kind is OfferKind.TOOL:
        yield from _tool_result(run.result or {}, run.failure_details)
    elif kind is OfferKind.PROMPT:
        yield from message_sections(run.result or {})
    else:
        yield from resource_sections(run.result or {})


def _tool_result(result: dict[str, Any], failure_details: FailureDetails | None) -> Iterator[Section]:
    structured = result.get("structuredContent")
    if (failure := tool_failure(result)) is not None:
        explained = failure_details is not None and failure_details.explains(result)
        yield from _failure(failure, failure_details if explained else None)
        # The text of a failure is its message; its other content is shown like that of a success.
        items = [item for item in objects_in(result, "content") if item.get("type") != "text"]
    else:
        items = objects_in(result, "content")
        if not items and "structuredContent" not in result:
            yield _note("Empty result: the tool succeeded and returned no content.")
    if "structuredContent" in result and repeats(items, structured):
        yield _text_and_structured(structured)
    else:
        yield from map(_block, items)
        if "structuredContent" in result:
            yield _json("structured content", structured)
    meta = result.get("_meta")
    if isinstance(meta, dict):
        # The details of a failure are described above in words, and the header names the server.
        known = {SERVER_INFO} if failure is None else {SERVER_INFO, "arcade"}
        meta = {key: value for key, value in meta.items() if key not in known}
    if meta:
        yield _json("_meta", meta)


def _text_and_structured(structured: Any) -> Section:
    heading = "text and structured content"
    # A lone text is easier to read as such than as JSON.
    match structured:
        case {"result": str() as text} if len(structured) == 1:
            return replace(text_section(heading, text), item={"type": "text", "text": text})
        case _:
            return _json(heading, structured)


def _failure(failure: ToolFailure, failure_details: FailureDetails | None) -> Iterator[Section]:
    """Yield the message and its place, then the advice, and the details that the agent does not receive."""
    yield text_section(f"✗ {failure.kind or 'tool error'}{_http_status(failure)}", failure.message, ERROR)
    if failure_details is not None and failure_details.place:
        yield text_section("raised at", failure_details.place)
    if failure.hint and not failure.is_hint_for_models:
        yield text_section("hint", failure.hint)
    if retry := replace(failure, hint="").advice:
        yield text_section("retry", retry)
    if failure_details is not None:
        yield from _failure_details(failure_details)


def _http_status(failure: ToolFailure) -> str:
    # In failures of other kinds the number did not come from a service.
    return f" · HTTP {failure.status_code}" if failure.status_code and failure.kind.startswith("UPSTREAM_") else ""


def _failure_details(failure_details: FailureDetails) -> Iterator[Section]:
    if failure_details.developer_message:
        yield text_section("for the developer", failure_details.developer_message)
    if failure_details.extra is not None:
        yield _json("extra", failure_details.extra)
    for problem in failure_details.problems:
        yield text_section("error adapter", problem)
    if failure_details.traceback:
        yield text_section("traceback", failure_details.traceback)


def message_sections(result: dict[str, Any]) -> Iterator[Section]:
    """Return the messages of a prompt or of a sampling request, a section each."""
    messages = objects_in(result, "messages")
    if not messages:
        yield _note("No messages.")
    for message in messages:
        content = message.get("content")
        for item in content if isinstance(content, list) else [content]:
            block = _block(item) if isinstance(item, dict) else _json("content", item)
            yield replace(block, heading=f"{escaped(str(message.get('role')))} · {block.heading}")


def resource_sections(result: dict[str, Any]) -> Iterator[Section]:
    """Return the contents of a resource, a section each."""
    contents = objects_in(result, "contents")
    if not contents:
        yield _note("Empty result: the resource has no contents.")
    for item in contents:
        yield _resource(item)


def _block(item: dict[str, Any]) -> Section:
    return replace(_block_section(item), item=item)


def _block_section(item: dict[str, Any]) -> Section:
    """Return the section of a content block (schema, ContentBlock)."""
    match item.get("type"):
        case "text" if isinstance(item.get("text"), str):
            return text_section("text", item["text"]) if item["text"] else _note('text: "" (empty)')
        case "image" | "audio" as kind:
            return text_section(kind, describe.content(item))
        case "resource_link":
            return text_section("resource link", describe.content(item).removeprefix("link "))
        case "resource" if isinstance(item.get("resource"), dict):
            return _resource(item["resource"])
        case kind:
            return _json(escaped(str(kind or "content without a type")), item)


def _resource(contents: dict[str, Any]) -> Section:
    heading = f"resource · {describe.resource(contents)}"
    text = contents.get("text")
    return replace(text_section(heading, text if isinstance(text, str) else "binary; not shown"), item=contents)


def text_section(heading: str, text: str, heading_class: str = "json--heading") -> Section:
    """Return a text under a heading; JSON is shown as such."""
    document = JsonDocument(text.encode("utf-8", "backslashreplace"))
    # Other headings describe what happened rather than the kind of the text.
    if heading_class == "json--heading" and text.lstrip()[:1] in ("{", "[") and document.is_json:
        heading += " · JSON"
    return Section(heading, document, heading_class)


def _json(heading: str, value: Any) -> Section:
    return Section(heading, JsonDocument(describe.json_text(value).encode("utf-8", "backslashreplace")))


def _note(text: str) -> Section:
    return Section(text, JsonDocument(b""), NOTE)
