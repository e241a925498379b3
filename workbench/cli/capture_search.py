"""`workbench captures search`: a text in the messages of all captures."""

from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from workbench.cli import console, output
from workbench.cli.command_run import DONE, FAILED
from workbench.model.describe import plural
from workbench.model.short_text import escaped

if TYPE_CHECKING:
    from server_core.records.capture.capture_listing import CaptureInfo
    from server_core.records.capture.search import CaptureMatch


def search_all(text: str, project: str | None, limit: int, as_json: bool) -> int:
    """Print the matches, newest capture first; the exit code is 1 if there is none."""
    from server_core.records.capture.capture_listing import list_captures
    from server_core.records.capture.search import search_capture

    if not text:
        raise ConfigurationError("The text to search for is empty.")
    matches: list[CaptureMatch] = []
    captures = [capture for capture in list_captures(project) if not capture.problem]
    for capture in captures:
        of_capture: list[CaptureMatch] = []
        try:
            # What was read before an error is kept.
            of_capture.extend(search_capture(capture.path, text, limit - len(matches)))
        except ConfigurationError as error:
            console.warn(str(error))
        if of_capture and not as_json:
            _print_capture(capture, of_capture)
        matches += of_capture
        if len(matches) >= limit:
            console.write(f"Only the first {plural(limit, 'message')} are shown: see --limit.")
            break
    if as_json:
        output.print_json([_to_json(match) for match in matches])
    console.write(f"{plural(len(matches), 'message')} in {plural(len(captures), 'capture')}.")
    return DONE if matches else FAILED


def _print_capture(capture: "CaptureInfo", matches: "list[CaptureMatch]") -> None:
    name = f"  {capture.name}" if capture.name else ""
    output.print_text(f"{output.timestamp(capture.started)}  {capture.path.name}{escaped(name)}")
    for match in matches:
        way = {"in": "→", "out": "←"}.get(match.record.direction.value, "·")
        output.print_text(f"  {match.record.seq:>6} {way} {escaped(match.before + match.match + match.after)}")


def _to_json(match: "CaptureMatch") -> dict[str, Any]:
    record = match.record
    return {
        "path": str(match.path),
        "seq": record.seq,
        "time": record.time,
        "session": record.session,
        "direction": record.direction.value,
        "kind": record.kind.value,
        "before": match.before,
        "match": match.match,
        "after": match.after,
    }
