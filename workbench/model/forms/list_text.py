"""A list of scalars on one line: `1, 2, 3`, with quotation marks around a text that would be read differently.

A text in quotation marks is read as in JSON. A comma at the end is ignored, and so is the space around an item.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SEPARATOR = ", "


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item, without its quotation marks, and its place in the text."""

    text: str
    start: int
    end: int
    is_quoted: bool = False


def read_items(text: str) -> list[ListItem]:
    """Return the items of a text; an item between two commas may be empty."""
    items: list[ListItem] = []
    start = 0
    while start < len(text):
        item, start = _next_item(text, start)
        items.append(item)
    if items and not items[-1].is_quoted and not items[-1].text:
        items.pop()
    return items


def has_open_quote(text: str) -> bool:
    """Whether an item begins with a quotation mark that is not closed."""
    plain = (item.text for item in read_items(text) if not item.is_quoted)
    return any(content.startswith('"') and _closing(content) < 0 for content in plain)


def item_text(text: str, *, is_null: bool = False, may_be_null: bool = False, is_first: bool = False) -> str:
    """Return an item as it is written in a list: in quotation marks where it needs them."""
    if is_null:
        return "null"
    is_plain = text and text == text.strip() and "," not in text and text[0] != '"' and text.isprintable()
    if not is_plain or (may_be_null and text == "null") or (is_first and text[0] == "["):
        return json.dumps(text, ensure_ascii=False)
    return text


def join_items(texts: Iterable[str]) -> str:
    return SEPARATOR.join(texts)


def item_at(items: Sequence[ListItem], cursor: int) -> int | None:
    """Return the index of the item at the cursor; None between the items and in an empty text."""
    return next((index for index, item in enumerate(items) if item.start <= cursor <= item.end), None)


def without_item(text: str, cursor: int) -> tuple[str, int] | None:
    """Return the text without the item at the cursor, and the place of the cursor; None if there is no item."""
    items = read_items(text)
    if (index := item_at(items, cursor)) is None:
        return None
    rest = [text[item.start : item.end] for item in items if item is not items[index]]
    return join_items(rest), len(join_items([*rest[:index], ""])) if rest[index:] else len(join_items(rest))


def with_item_moved(text: str, cursor: int, by: int) -> tuple[str, int] | None:
    """Return the text with the item at the cursor moved, and the place of the cursor; None at the ends."""
    items = read_items(text)
    index = item_at(items, cursor)
    if index is None or not 0 <= index + by < len(items):
        return None
    texts = [text[item.start : item.end] for item in items]
    moved = texts.pop(index)
    texts.insert(index + by, moved)
    start = len(join_items([*texts[: index + by], ""]))
    return join_items(texts), start + cursor - items[index].start


def _next_item(text: str, start: int) -> tuple[ListItem, int]:
    """Return the item that begins at a place, and where the next begins."""
    while start < len(text) and text[start].isspace():
        start += 1
    if text.startswith('"', start) and (end := _closing(text, start)) > 0:
        following = end
        while following < len(text) and text[following].isspace():
            following += 1
        if following == len(text) or text[following] == ",":
            try:
                return ListItem(json.loads(text[start:end]), start, end, is_quoted=True), following + 1
            except ValueError:
                pass  # No JSON string: the characters as they are.
    comma = text.find(",", start)
    following = len(text) if comma < 0 else comma
    content = text[start:following].rstrip()
    return ListItem(content, start, start + len(content)), following + 1


def _closing(text: str, start: int = 0) -> int:
    """Return the place after the quotation mark that closes the one at the start; -1 if there is none."""
    place = start + 1
    while place < len(text):
        if text[place] == '"':
            return place + 1
        place += 2 if text[place] == "\\" else 1
    return -1
