"""The top two rows and the bottom row: functions from the state of a workspace to the items of a bar."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from workbench.model.notices import Notice, Severity, whole_sentences
from workbench.model.short_text import shortened
from workbench.tui.actions import EVERYWHERE, PLACES, Action, actions_of
from workbench.tui.colours import ACTIVE, BAD, BADGE, GOOD, KEY, MUTED, STRONG, WARN
from workbench.tui.key_bindings import key_for, key_label, keys_while_writing
from workbench.tui.widgets.bar import Item
from workbench.tui.widgets.paint import fit

if TYPE_CHECKING:
    from workbench.workspace.watched_calls import WatchedCalls
    from workbench.workspace.workspace import Workspace

# The titles of the tabs where there is no room for all of them in full.
# Characters of a server's name and of its version, so that the state stays in view.
_MAX_NAME = 40
_SHORT_TITLES = {
    "tools": "Tools",
    "inspector": "Insp",
    "requests": "Reqs",
    "secrets": "Secr",
    "problems": "Prob",
    "sessions": "Sess",
}
# The header's text and colour for each state.
_STATES = {
    "connecting": ("… connecting", MUTED),
    "ready": ("✓ ready", GOOD),
    "loading": ("… loading", WARN),
    "reloading": ("… reloading", WARN),
    "lost": ("✗ core lost", BAD),
    "stopped": ("core stopped", WARN),
    "server lost": ("✗ server gone", BAD),
    "failed": ("✗ nothing loads", BAD),
    "stale": ("✗ reload failed", BAD),
    "partial": ("! loaded in part", WARN),
}
SIGNS: dict[Severity, tuple[str, str]] = {"information": ("•", GOOD), "warning": ("!", WARN), "error": ("✗", BAD)}
"""The sign and the colour of each severity."""
_OPEN_LOG = "app.act('show_notices')"
WITHOUT_CORE = ("lost", "stopped")
"""The states in which there is no core."""
# The states that a restart can end.
_RESTARTABLE = (*WITHOUT_CORE, "server lost")
_CLICKS = {
    **dict.fromkeys(_RESTARTABLE, "app.act('restart')"),
    **dict.fromkeys(("failed", "stale", "partial"), "app.act('show_problems')"),
}


def status_items(workspace: "Workspace | None", state: str, opening: str = "") -> tuple[list[Item], list[Item]]:
    """Return the header's left and right items: server name and state; listening URL and recording.

    `opening` is the title of a server that takes the place of the present one.
    """
    if workspace is None or opening:
        title = shortened(opening or "workbench", _MAX_NAME)
        return [Item(f" {title}", STRONG), *_state_items(None, state)], []
    identity, session = workspace.identity, workspace.session
    left = [
        # In a narrow terminal, the way to restart matters more than the name.
        Item(
            f" {shortened(str(identity.get('title') or identity.get('name') or 'workbench'), _MAX_NAME)}",
            STRONG,
            weight=1 if state in _RESTARTABLE else 0,
        ),
        Item(f" {shortened(str(identity.get('version') or ''), _MAX_NAME)}", MUTED, weight=2),
    ]
    if session is not None and state not in _RESTARTABLE:
        era = " stateless" if session.revision.stateless else ""
        left.append(Item(f"  MCP {session.revision.date}{era}", MUTED, "app.act('switch_revision')", weight=3))
        if not workspace.persona.is_default:
            name = shortened(workspace.persona.name, _MAX_NAME)
            left.append(Item(f"  as {name}", WARN, "app.act('switch_persona')", weight=2))
    left += _state_items(workspace, state)
    if state == "server lost":
        left.append(Item(f"  {workspace.server_lost.splitlines()[0]}", MUTED, weight=3))
    right = [] if not workspace.is_watching else [_watched_item(workspace.watched_calls)]
    if url := workspace.core.info.get("http_url"):
        right.append(Item(f"{url}  ", weight=4))
    if workspace.core.capture_problem and state not in WITHOUT_CORE:
        right.append(Item("! not recorded  ", WARN, "app.act('show_sessions')", weight=2))
    elif workspace.core.info.get("capture") and state not in WITHOUT_CORE:
        right.append(Item("● rec  ", BAD, weight=5))
    if missed := workspace.link.dropped:
        right.append(Item(f"! {missed:,} missed  ", WARN, weight=1))
    right.append(Item(f"{len(workspace.timeline):,} messages ", MUTED, weight=6))
    return left, right


def _watched_item(watched: "WatchedCalls") -> Item:
    """Return how many calls are watched, and how many of them have failed or differ."""
    click = "app.do('tools', 'show_watched')"
    if red := watched.red:
        return Item(f"✗ {red} of {len(watched.calls)} watched  ", BAD, click)
    if watched.is_stale:
        return Item(f"· {len(watched.calls)} watched  ", WARN, click)
    is_running = watched.running is not None
    return Item(f"{'…' if is_running else '✓'} {len(watched.calls)} watched  ", WARN if is_running else GOOD, click)


def _state_items(workspace: "Workspace | None", state: str) -> list[Item]:
    """Return the state and how to change it; while a restart is due, the time until then."""
    sign, style = _STATES[state]
    click, key = _CLICKS.get(state, ""), key_for("restart")
    seconds = None if workspace is None or state != "server lost" else workspace.restarts.seconds_left
    if seconds is not None:
        stop = f" · {key_for('stop_restarts')} stops this"
        return [
            Item(f"  {sign} – restart in {math.ceil(seconds)} s", style, click),
            Item(f" · {key} now", style, click),
            Item(stop, MUTED, "app.act('stop_restarts')", weight=2),
        ]
    if workspace is not None and (count := workspace.restarts.in_vain) and state == "server lost":
        sign = f"{sign} after {count} restarts"
    if state in _RESTARTABLE:
        sign = f"{sign} – {key} restarts it"
    return [Item(f"  {sign}", style, click)]


def tab_items(workspace: "Workspace | None", active_place: str, width: int) -> list[Item]:
    """Return the tabs; where not all titles have room, those of the panes behind are short, and else all are."""
    items: list[Item] = []
    for titles in (PLACES, _SHORT_TITLES | {active_place: PLACES[active_place]}, _SHORT_TITLES):
        items = _tab_items(workspace, active_place, titles)
        if sum(item.width for item in items) <= width:
            break
    return items


def _tab_items(workspace: "Workspace | None", active_place: str, titles: Mapping[str, str]) -> list[Item]:
    counts = (
        {}
        if workspace is None
        else {"requests": len(workspace.questions.waiting), "problems": len(workspace.core.problems)}
    )
    items = []
    for key, place in enumerate(PLACES, start=1):
        style = ACTIVE if place == active_place else ""
        click = f"app.act('show_{place}')"
        items.append(Item(f" {key} ", style or MUTED, click))
        # In a narrow terminal the last names are left out first; that of the pane in front stays.
        items.append(Item(f"{titles[place]} ", style, click, weight=0 if place == active_place else key))
        if count := counts.get(place):
            items.append(Item(f"({count}) ", BADGE, click))
    return items


# The hints that a narrow footer leaves out, greatest weight first; the key of the help screen stays.
_WEIGHTS = {
    **{"compose": 5, "edit_message": 4, "send_again": 3},
    **{"ping": 8, "refresh": 7, "copy_http_url": 6, "toggle_http": 5, "search_captures": 4, "delete_capture": 3},
    **{"compare_captures": 3},
    **{"edit_run": 4, "run_again": 3},
    **{"palette": 2, "newline": 1},
}


def hint_items(
    place: str,
    *,
    is_writing: bool = False,
    first: Sequence[Action] = (),
    hint_title: Callable[[Action], str] = lambda action: action.title,
) -> tuple[list[Item], list[Item]]:
    """Return the footer: this pane's actions at the left, the global at the right.

    Args:
        place: the place of the pane.
        is_writing: whether letters are text.
        first: actions that are shown before those of the pane.
        hint_title: returns the title of an action; an empty one omits it.
    """

    def hints(actions: Iterable[Action], title: Callable[[Action], str]) -> list[Item]:
        shown = [action for action in actions if action.in_footer or (is_writing and action.in_form_footer)]
        return [item for action in shown for item in _hint(action, title(action), is_writing=is_writing)]

    now = [item for action in first for item in _hint(action, action.title, is_writing=is_writing)]
    return now + hints(actions_of(place), hint_title), hints(actions_of(EVERYWHERE), lambda action: action.title)


def _hint(action: Action, title: str, *, is_writing: bool) -> list[Item]:
    keys = keys_while_writing(action) if is_writing else action.key_names
    if not title or not keys:
        return []
    click = f"app.do('{action.place}', '{action.id}')"
    weight = _WEIGHTS.get(action.id, 0)
    return [
        Item(f" {key_label(keys[0])} ", KEY, click, weight),
        Item(f"{title} ", MUTED, click, weight),
    ]


def notice_items(notice: Notice | None, width: int) -> tuple[list[Item], list[Item]]:
    """Return the line of a notice, shortened to so many cells, and the key of the log if it is; a click opens the log.

    Both are empty without a notice, and for one of which the footer has only the sign.
    """
    if notice is None or notice.is_brief(time.time()):
        return [], []
    sign, style = SIGNS[notice.severity]
    # No text that is longer than the line is measured as a whole.
    line = notice.line[: 2 * width]
    room = max(1, width - len(f" {sign} "))
    more = []
    if cell_len(line) >= room:
        more = [Item(f" {key_for('show_notices')} ", KEY, _OPEN_LOG), Item("more ", MUTED, _OPEN_LOG)]
        room -= sum(item.width for item in more) + 1
        line = whole_sentences(line, lambda part: cell_len(part) < room) or fit(line, room - 1).rstrip()
    return [Item(f" {sign} ", style, _OPEN_LOG), Item(f"{line} ", "", _OPEN_LOG)], more


def sign_items(notice: Notice | None) -> list[Item]:
    """Return the sign of a notice that is still true but no longer shown, for the start of the footer."""
    if notice is None or not notice.is_brief(time.time()):
        return []
    sign, style = SIGNS[notice.severity]
    return [Item(f" {sign} {key_for('show_notices')} ", style, _OPEN_LOG)]
