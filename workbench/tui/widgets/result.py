"""The result of a tool, a resource or a prompt; the heading of each part names its kind of content."""

import json
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Literal

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message

from server_core.protocol.envelope import SERVER_INFO
from workbench.model import describe
from workbench.model.catalog import OfferKind
from workbench.model.error_texts import ToolFailure, tool_failure
from workbench.model.history import CallRun, RunStatus
from workbench.model.json_members import text_in
from workbench.model.repeated_content import repeats
from workbench.model.saved_content import SavedContent, content_of_item
from workbench.model.short_text import escaped
from workbench.model.traffic.failure_details import FailureDetails
from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.widgets.json_view import JsonView, Section
from workbench.tui.widgets.picture_loader import PictureLoader

_ERROR = "result--error"
_NOTE = "result--note"
# The length, in characters, up to which a text is folded between words: folding reads all of it.
_MAX_FOLDED = 100_000


class ResultView(JsonView):
    IS_RENDERED = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "use_content('save')", show=False),
        Binding("o", "use_content('view')", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {_ERROR, _NOTE}

    DEFAULT_CSS = """
    ResultView {
        padding: 0 1;
        & > .result--error { color: $text-error; text-style: bold; }
        & > .result--note { color: $text-muted; text-style: italic; }
    }
    """

    class ContentChosen(Message):
        """The user wants to save the content under the cursor, or to open it."""

        def __init__(self, content: SavedContent, action: Literal["save", "view"]) -> None:
            super().__init__()
            self.content = content
            self.action = action

    class LinkFollowed(Message):
        """The user wants to read the resource of a link."""

        def __init__(self, view: "ResultView", uri: str) -> None:
            super().__init__()
            self.view = view
            self.uri = uri

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        # What was shown before a link was followed: the sections, the result and the cursor.
        self._before: list[tuple[tuple[Section, ...], dict[str, Any] | None, int]] = []
        self._unfolded_sections: tuple[Section, ...] = ()
        self._fold_size = Size()
        self._pictures = PictureLoader(self, self._show_again)
        # The result that is shown; None for other documents.
        self._result: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        return super().text if self._result is None else json.dumps(self._result, indent=2, ensure_ascii=False)

    def show(self, *sections: Section) -> None:
        """Show documents from the top, with texts folded between words."""
        self._result = None
        self._unfolded_sections, self._fold_size = sections, self.size
        shown = self._pictures.add_pictures(sections)
        super().show(*(_folded(section, self.text_width) for section in shown))

    def on_resize(self) -> None:
        if self.size.width != self._fold_size.width or (self._pictures.has_pictures and self.size != self._fold_size):
            self._show_again()

    def _show_again(self) -> None:
        """Show the same at another width, or with another picture."""
        result, cursor, top, sources = self._result, self.cursor, self.scroll_offset.y, self._sources
        self.show(*self._unfolded_sections)
        self._result = result
        for number in sources:
            self._toggle_source(number, 0)
        self.move_to(cursor)
        self.scroll_to(y=top, animate=False, immediate=True)

    def show_run(self, kind: OfferKind, run: CallRun) -> None:
        self._before = []
        self.show(*_sections(kind, run))
        self._result = run.result

    def show_linked(self, result: dict[str, Any]) -> None:
        """Show the resource of a link; escape goes back."""
        self._before.append((self._unfolded_sections, self._result, self.cursor))
        self.show(*_resource_result(result))
        self._result = result

    def action_select(self) -> None:
        """Follow the link under the cursor, else fold or unfold."""
        item = None if self.section is None else self.section.item
        if item is not None and item.get("type") == "resource_link":
            self.post_message(self.LinkFollowed(self, text_in(item, "uri")))
        else:
            super().action_select()

    def action_close_search(self) -> None:
        """Close the search, or go back from the resource of a link."""
        if self._search.is_open or not self._before:
            super().action_close_search()
            return
        sections, result, cursor = self._before.pop()
        self.show(*sections)
        self._result = result
        self.move_to(cursor)

    def action_use_content(self, action: Literal["save", "view"]) -> None:
        """Save or open the content under the cursor: the item of the result, else the text."""
        if (section := self.section) is None:
            raise SkipAction
        content = None if section.item is None else content_of_item(section.item)
        if content is None:
            content = SavedContent("result.txt", section.document.pretty().encode("utf-8", "backslashreplace"))
        self.post_message(self.ContentChosen(content, action))


def _sections(kind: OfferKind, run: CallRun) -> Iterator[Section]:
    if run.status is RunStatus.CANCELLED:
        yield _note("Cancelled: the response is discarded.")
    elif run.error:
        yield text_section("no result", run.error, _ERROR)
    elif kind is OfferKind.TOOL:
        yield from _tool_result(run.result or {}, run.failure_details)
    elif kind is OfferKind.PROMPT:
        yield from message_sections(run.result or {})
    else:
        yield from _resource_result(run.result or {})


def _tool_result(result: dict[str, Any], failure_details: FailureDetails | None) -> Iterator[Section]:
    structured = result.get("structuredContent")
    if (failure := tool_failure(result)) is not None:
        explained = failure_details is not None and failure_details.explains(result)
        yield from _failure(failure, failure_details if explained else None)
        # The text of a failure is its message; its other content is shown like that of a success.
        items = [item for item in _list(result, "content") if item.get("type") != "text"]
    else:
        items = _list(result, "content")
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
    yield text_section(f"✗ {failure.kind or 'tool error'}{_http_status(failure)}", failure.message, _ERROR)
    if failure_details is not None and failure_details.place:
        yield text_section("raised at", failure_details.place)
    if failure.hint:
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
    messages = _list(result, "messages")
    if not messages:
        yield _note("No messages.")
    for message in messages:
        content = message.get("content")
        for item in content if isinstance(content, list) else [content]:
            block = _block(item) if isinstance(item, dict) else _json("content", item)
            yield replace(block, heading=f"{escaped(str(message.get('role')))} · {block.heading}")


def _resource_result(result: dict[str, Any]) -> Iterator[Section]:
    contents = _list(result, "contents")
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


def _folded(section: Section, width: int) -> Section:
    """Return a text with line breaks between words; JSON and very long texts are folded at the edge."""
    document = section.document
    if width < 1 or document.is_json or len(document.text) > _MAX_FOLDED or section.is_markdown:
        return section
    lines = (_wrapped(line, width) or [""] for line in document.text.split("\n"))
    text = "\n".join(row for rows in lines for row in rows)
    return replace(section, document=JsonDocument(text.encode("utf-8", "backslashreplace")))


def _wrapped(line: str, width: int) -> list[str]:
    """Return the parts of a folded line, all with the indentation of the line."""
    indent = line[: min(len(line) - len(line.lstrip(" ")), width // 2)]
    return textwrap.wrap(line, width, replace_whitespace=False, subsequent_indent=indent)


def _json(heading: str, value: Any) -> Section:
    return Section(heading, JsonDocument(json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")))


def _note(text: str) -> Section:
    return Section(text, JsonDocument(b""), _NOTE)


def _list(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    items = value.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
