"""Format the traceback of an exception for the author: from the author's first frame on, within limits."""

import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType

from server_core.adapters.adapter import describe_error
from server_core.adapters.redaction import redact
from server_core.runtime.safe_text import call_safely, cut

MAX_LINKS = 100
"""How many exceptions of a chain a traceback contains, because formatting each takes time."""

# Frames of our modules do not help the author: a traceback does not start with them, and no error is placed in them.
_OURS = "server_core."
# An error is placed at the last frame outside of these folders, since that is the code that the author can change.
_LIBRARIES = tuple(
    {path for name in ("stdlib", "platstdlib", "purelib", "platlib") if (path := sysconfig.get_path(name))}
)


def traceback_of(error: BaseException) -> str:
    """Return the traceback of an exception from the author's first frame on, with possible secrets removed."""
    return call_safely(
        lambda: redact(cut("".join(_traceback_lines(error)))),
        lambda failure: f"(the traceback cannot be shown: {type(failure).__name__})",
    )


def place_of(error: BaseException) -> tuple[str, int]:
    """Return the file and line of the author's code that raised an exception; `("", 0)` if none did."""
    frames = [place for place in traceback.walk_tb(_author_frames(error.__traceback__)) if not _is_ours(place[0])]
    own = [place for place in frames if not place[0].f_code.co_filename.startswith(_LIBRARIES)] or frames
    return (own[-1][0].f_code.co_filename, own[-1][1]) if own else ("", 0)


def members_of(group: BaseException) -> tuple[BaseException, ...]:
    # Through the descriptor, so that no attribute access runs code of the author's class.
    members: tuple[BaseException, ...] = vars(BaseExceptionGroup)["exceptions"].__get__(group)
    return members


def _traceback_lines(error: BaseException) -> Iterable[str]:
    if _has_few_links(error):
        return traceback.format_exception(type(error), error, _author_frames(error.__traceback__))
    return _last_links(error)


def _has_few_links(error: BaseException) -> bool:
    """Return whether at most :data:`MAX_LINKS` exceptions are linked: causes, contexts and members of groups."""
    seen: set[int] = set()
    remaining: list[BaseException | None] = [error]
    while remaining:
        if (link := remaining.pop()) is None or id(link) in seen:
            continue
        seen.add(id(link))
        members = members_of(link) if issubclass(type(link), BaseExceptionGroup) else ()
        if len(seen) + len(members) > MAX_LINKS:
            return False
        remaining += [link.__cause__, link.__context__, *members]
    return True


def _last_links(error: BaseException) -> Iterator[str]:
    """Format the end of a long exception chain; the `traceback` module would format all of it."""
    links = [error]
    while len(links) < MAX_LINKS:
        last = links[-1]
        before = last.__cause__ or (None if last.__suppress_context__ else last.__context__)
        if before is None:
            break
        links.append(before)
    yield "(earlier exceptions and members of groups are omitted)\n"
    for link in reversed(links):
        yield "\nTraceback (most recent call last):\n"
        yield from traceback.format_tb(_author_frames(link.__traceback__))
        yield f"{describe_error(link)}\n"


def _author_frames(frames: TracebackType | None) -> TracebackType | None:
    while frames is not None and _is_ours(frames.tb_frame):
        frames = frames.tb_next
    return frames


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith(_OURS)
