"""What the palette finds: actions and panes, settings of the terminal, offers, saved calls and captures."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.protocol.revisions import REVISIONS
from workbench.model.catalog import Offer, offers
from workbench.model.fuzzy import contained, fuzzy_match
from workbench.model.personas import KNOWN_PERSONAS
from workbench.tui.actions import ACTIONS, EVERYWHERE, PLACES, Action
from workbench.tui.external_editor import edit
from workbench.tui.key_bindings import keys_label
from workbench.tui.screens.sessions_pane import SessionsPane
from workbench.tui.screens.tools_pane import ToolsPane

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

# How much a match in the detail counts, compared with one in the label.
_IN_DETAIL = 0.1


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """A row of the palette; its texts may be foreign."""

    label: str
    detail: str
    run: Callable[[], Awaitable[object] | object]
    key: str = ""  # the label of the keys that do the same
    place: str | None = None  # of an action: its pane

    def match(self, words: list[str]) -> tuple[float, frozenset[int]] | None:
        """Return the score, and the indexes of matched characters of the label; None unless all words match."""
        score, positions = 0.0, set[int]()
        for word in words:
            if (match := fuzzy_match(word, self.label)) is not None:
                score += match.score
                positions.update(match.positions)
            elif (match := contained(word, self.detail)) is not None:
                score += match.score * _IN_DETAIL
            else:
                return None
        return score, frozenset(positions)


def entries(app: "WorkbenchApp") -> Iterator[PaletteEntry]:
    """Yield all entries for the app as it is now."""
    for action in ACTIONS:
        if action.in_palette:
            run = partial(app.action_do, action.place, action.id)
            yield PaletteEntry(_title(action), action.help, run, keys_label(action), action.place)
    for command in app.get_system_commands(app.screen):
        yield PaletteEntry(command.title, command.help, command.callback, place=EVERYWHERE)
    yield PaletteEntry("Edit config.toml", "The theme, the editor and the keys, in $EDITOR", partial(edit_config, app))
    if app.pane is not None:
        detail = "The saved calls of the project, in $EDITOR"
        yield PaletteEntry("Edit workbench.yaml", detail, partial(edit_saved_calls, app))
    for date, revision in REVISIONS.items():
        label = f"Switch to {date}{' (stateless)' if revision.stateless else ''}"
        yield PaletteEntry(label, "The protocol revision of your calls", partial(app.switch_revision, date))
    for persona in KNOWN_PERSONAS:
        label, detail = f"Switch to persona: {persona.name}", f"Call as this client: {persona.summary}"
        yield PaletteEntry(label, detail, partial(app.switch_persona, persona.name))
    for theme in sorted(app.available_themes):
        yield PaletteEntry(f"Theme: {theme}", "The colours of the terminal", partial(setattr, app, "theme", theme))
    for offer in offers(app.catalog):
        yield PaletteEntry(f"{offer.kind.capitalize()}: {offer.label}", offer.note, partial(_open_offer, app, offer))
    for call in app.saved_calls:
        yield PaletteEntry(f"Saved call: {call.name}", call.note, partial(app.open_recorded_call, call))
    for capture in app.captures:
        path = str(capture["path"])
        yield PaletteEntry(f"Capture: {Path(path).name}", str(Path(path).parent), partial(_open_capture, app, path))


def entries_for(app: "WorkbenchApp", query: str) -> list[PaletteEntry]:
    """Return the entries that a query matches, the best first."""
    words = query.split()
    matches = [(match[0], entry) for entry in entries(app) if (match := entry.match(words)) is not None]
    return [entry for _, entry in sorted(matches, key=lambda match: -match[0])]


def _title(action: Action) -> str:
    return f"{PLACES[action.place]}: {action.title}" if action.place else action.title


async def _open_offer(app: "WorkbenchApp", offer: Offer) -> None:
    await app.show("tools")
    if isinstance(pane := app.pane, ToolsPane):
        pane.show_offer(offer.key)


async def _open_capture(app: "WorkbenchApp", path: str) -> None:
    await app.show("sessions")
    if isinstance(pane := app.pane, SessionsPane):
        pane.open_item(path)


def edit_config(app: "WorkbenchApp") -> None:
    """Open the configuration in the editor, and use its theme; keys are those of the next terminal."""
    from workbench.tui.config_check import MISTAKES, config_mistakes, mistakes_notice
    from workbench.workspace.config_file import config_path, read_config

    path = config_path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        app.notify(f"{path.parent} cannot be created: {error.strerror}.", severity="error", markup=False)
        return
    keys = read_config().keys
    if not edit(app, str(path), 1):
        return
    config = read_config()
    app.use_theme(config.theme)
    if notice := mistakes_notice(config_mistakes(config)):
        app.notify(notice, title=MISTAKES, severity="error", markup=False)
        return
    app.withdraw(MISTAKES)
    if config.keys != keys:
        app.notify("The new keys are those of the next terminal.", markup=False)


def edit_saved_calls(app: "WorkbenchApp") -> None:
    edit(app, str(app.workspace.saved_calls.file.path), 1)
