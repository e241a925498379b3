"""What a user has added to messages: a mark in one of a few colours, and a comment of one line."""

import re
from dataclasses import dataclass
from typing import Any

MARKS = {"red": "●", "yellow": "▲", "green": "◆", "blue": "■"}
"""The colours of marks, each with a sign of its own, since not everybody sees colours."""
MAX_COMMENT = 200

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Annotation:
    """The mark and the comment of a message; both are empty if there is none."""

    mark: str = ""  # a key of MARKS
    comment: str = ""

    def __bool__(self) -> bool:
        return bool(self.mark or self.comment)

    @property
    def text(self) -> str:
        """The mark, as a sign and a word, and the comment."""
        mark = f"{MARKS[self.mark]} {self.mark}" if self.mark else ""
        return ": ".join(part for part in (mark, self.comment) if part)

    def to_json(self) -> dict[str, str]:
        return {name: text for name, text in (("mark", self.mark), ("comment", self.comment)) if text}

    @classmethod
    def from_json(cls, value: Any) -> "Annotation":
        """Return the annotation in a JSON value; what is of a wrong type, or no known mark, is ignored."""
        if not isinstance(value, dict):
            return cls()
        mark, comment = value.get("mark"), value.get("comment")
        return cls(
            mark if isinstance(mark, str) and mark in MARKS else "",
            flattened(comment) if isinstance(comment, str) else "",
        )


NO_ANNOTATION = Annotation()


def flattened(comment: str) -> str:
    """Return a comment on one line, cut if it is too long."""
    return _SPACES.sub(" ", comment).strip()[:MAX_COMMENT]
