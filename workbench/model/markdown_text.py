"""Markdown as a short text of styled parts, for places that have room for a few rows only.

A text is clearly Markdown if it has a table or fenced code, or two of the other signs. Signs become styles, and the
lines of a paragraph are joined, since authors break them at a width of their own.
"""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from workbench.model.short_text import escaped

TextStyle: TypeAlias = Literal["", "strong", "emphasis", "code"]
StyledPart: TypeAlias = tuple[str, TextStyle]

_HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"\s*[-*+]\s+(.*)")
_NUMBER = re.compile(r"\s*\d{1,9}[.)]\s")
_CODE_BLOCK = re.compile(r"\s*(```|~~~)")
_RULE = re.compile(r"\s*([-*_=])\1{2,}\s*$")
# Each alternative is bounded, so that hostile text cannot make the search slow.
_INLINE = re.compile(
    r"``(?P<code2>[^\n]{1,200}?)``"
    r"|`(?P<code>[^`\n]{1,200})`"
    r"|\*\*(?=\S)(?P<strong>[^*\n]{1,200})(?<=\S)\*\*|(?<!\w)__(?=\S)(?P<strong2>[^_\n]{1,200})(?<=\S)__(?!\w)"
    r"|(?<![\w*])\*(?P<emphasis>[^*\s](?:[^*\n]{0,200}[^*\s])?)\*(?![\w*])"
    r"|(?<!\w)_(?P<emphasis2>[^_\s](?:[^_\n]{0,200}[^_\s])?)_(?!\w)"
    r"|!?\[(?P<link>[^\]\n]{1,200})\]\([^)\s]{1,500}\)"
)
_STYLES: dict[str, TextStyle] = {"code": "code", "strong": "strong", "emphasis": "emphasis", "link": ""}
MAX_LENGTH = 100_000
"""The number of characters up to which a text is rendered as Markdown."""
_CERTAIN = re.compile(r"^```|^\|.+\|[ \t]*\n\|[ :|-]+\|[ \t]*$", re.MULTILINE)
_SIGNS = (
    re.compile(r"^#{1,6} \S", re.MULTILINE),
    re.compile(r"^[-*] \S", re.MULTILINE),
    re.compile(r"\*\*[^\s*][^*\n]{0,200}\*\*"),
    re.compile(r"\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)"),
    re.compile(r"`[^`\n]{1,200}`"),
)


def markdown_lines(source: str) -> Iterator[list[StyledPart]]:
    """Yield the paragraphs, list items, headings and lines of code, each as parts on one line; the text is escaped."""
    paragraph: list[str] = []
    is_code = False
    for line in source.splitlines():
        if _CODE_BLOCK.match(line):
            yield from _joined(paragraph)
            is_code = not is_code
        elif is_code:
            yield [(escaped(line), "code")]
        elif not line.strip() or _RULE.match(line):
            yield from _joined(paragraph)
        elif heading := _HEADING.match(line):
            yield from _joined(paragraph)
            yield [(escaped(heading[1]), "strong")]
        else:
            if (bullet := _BULLET.match(line)) or _NUMBER.match(line):
                yield from _joined(paragraph)
            paragraph.append(f"• {bullet[1]}" if bullet else line.strip())
    yield from _joined(paragraph)


def _joined(paragraph: list[str]) -> Iterator[list[StyledPart]]:
    """Yield the collected lines of a paragraph as one line, and forget them."""
    if paragraph:
        yield _inline_parts(" ".join(paragraph))
        paragraph.clear()


def _inline_parts(text: str) -> list[StyledPart]:
    parts: list[StyledPart] = []
    end = 0
    for match in _INLINE.finditer(text):
        name = str(match.lastgroup)
        parts += [(escaped(text[end : match.start()]), ""), (escaped(match[name]), _STYLES[name.rstrip("2")])]
        end = match.end()
    parts.append((escaped(text[end:]), ""))
    return [part for part in parts if part[0]]


def is_markdown(text: str) -> bool:
    """Return whether a text is clearly Markdown, and short enough to be rendered."""
    if len(text) > MAX_LENGTH:
        return False
    return _CERTAIN.search(text) is not None or sum(sign.search(text) is not None for sign in _SIGNS) >= 2
