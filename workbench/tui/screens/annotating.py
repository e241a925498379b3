"""The mark and the comment of the message under the cursor, changed by the user."""

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.model.traffic.annotations import MARKS, MAX_COMMENT, Annotation, flattened
from workbench.tui.screens.dialogs import Choice, ChoiceScreen, PromptScreen
from workbench.workspace.message_annotations import annotate

if TYPE_CHECKING:
    from workbench.model.traffic.entry import Entry
    from workbench.tui.screens.message_pane import MessagePane

_NONE = "none"
_CHOICES = (
    *(Choice(mark, mark[0], f"{sign} {mark}", f"mark:{mark} selects it") for mark, sign in MARKS.items()),
    Choice(_NONE, "x", "no mark", "removes the mark"),
)
_COMMENT = "The comment is stored in the capture; an empty one removes it. comment:* selects messages with a comment."


async def choose_mark(pane: "MessagePane", entry: "Entry") -> None:
    """Let the user mark a message in one of a few colours, or remove its mark."""
    mark = await pane.app.push_screen_wait(ChoiceScreen("Mark the message", "", _CHOICES))
    if mark is not None:
        await _change(pane, entry, replace(entry.annotation, mark="" if mark == _NONE else mark))


async def edit_comment(pane: "MessagePane", entry: "Entry") -> None:
    """Let the user write a comment of one line on a message."""
    prompt = PromptScreen("Comment on the message", _COMMENT, value=entry.annotation.comment, problem=_problem)
    comment = await pane.app.push_screen_wait(prompt)
    if comment is not None:
        await _change(pane, entry, replace(entry.annotation, comment=flattened(comment)))


async def _change(pane: "MessagePane", entry: "Entry", annotation: Annotation) -> None:
    await pane.attempt(annotate(pane.source.timeline, entry, annotation))
    pane.annotations_changed()


def _problem(comment: str) -> str | None:
    length = len(comment.strip())
    if length <= MAX_COMMENT:
        return None
    return f"The comment has {length} characters; at most {MAX_COMMENT} are possible."
