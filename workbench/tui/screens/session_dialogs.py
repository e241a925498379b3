"""The dialogs about the terminal's own session: its protocol revision, its log level, and the `_meta` of its calls."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError, WorkbenchError
from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import REVISIONS, Revision
from workbench.model.missing_requirements import format_attributes, parse_attributes
from workbench.model.notices import UNAVAILABLE
from workbench.model.personas import Persona, Personas
from workbench.tui.header import WITHOUT_CORE
from workbench.tui.screens.dialogs import Choice, ChoiceScreen, PromptScreen
from workbench.tui.workers import start_worker

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.workspace.workspace import Workspace

NEWEST = "newest"
"""The choice of the newest revision that the server supports."""

_SETTING = "setting of the session"  # The topic of notices about the last change of one.


class SessionDialogs:
    """Asks for the protocol revision or the log level, and applies the choice to the workspace of the app."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app

    @property
    def _workspace(self) -> "Workspace":
        return self._app.workspace

    def why_not(self, action: str) -> str | None:
        """Return why an action is not available at the moment; None if it is, and for actions of others."""
        if action not in ("switch_revision", "switch_persona", "set_log_level"):
            return None
        if self._app.state in ("connecting", "server lost", *WITHOUT_CORE) or self._workspace.session is None:
            return "This terminal has no session with the server."
        if action != "set_log_level" and (running := self._workspace.running):
            calls = "A call runs" if running == 1 else f"{running} calls run"
            return f"{calls} in this session: wait for the result, or cancel it first."
        return None

    def ask_for_revision(self) -> None:
        if (session := self._workspace.session) is not None:
            screen = revision_screen(session.revision, is_relay=self._workspace.core.is_relay)
            self._app.push_screen(screen, self.switch_revision)

    def switch_revision(self, choice: str | None) -> None:
        """Switch to the revision of a date, or to :data:`NEWEST`, or show why that is not possible now."""
        if choice is None:
            return
        # Asked again: a call may have started since the dialog was opened, or the palette was used.
        if (reason := self.why_not("switch_revision")) is not None:
            self._app.notify(reason, title=UNAVAILABLE, severity="warning", markup=False)
            return
        self._run(partial(self._workspace.switch_revision, REVISIONS.get(choice)), self._describe_revision)

    def ask_for_persona(self) -> None:
        start_worker(self._app, self._ask_for_persona, "persona")

    async def _ask_for_persona(self) -> None:
        personas = await self._workspace.personas()
        choice = await self._app.push_screen_wait(persona_screen(self._workspace.persona, personas))
        self.switch_persona(choice)

    def switch_persona(self, name: str | None) -> None:
        """Become the persona of a name, or show why that is not possible now."""
        if name is None:
            return
        if (reason := self.why_not("switch_persona")) is not None:
            self._app.notify(reason, title=UNAVAILABLE, severity="warning", markup=False)
            return
        self._run(partial(self._switch_persona, name), self._describe_persona)

    async def _switch_persona(self, name: str) -> None:
        try:
            persona = (await self._workspace.personas()).find(name)
        except ValueError as error:
            raise ConfigurationError(str(error)) from None
        await self._workspace.switch_persona(persona)

    def _describe_persona(self) -> str:
        persona, session = self._workspace.persona, self._workspace.session
        revision = "" if session is None else f", in revision {session.revision.date}"
        return f"You are now {persona.name}{revision}: {persona.summary}."

    def ask_for_log_level(self) -> None:
        self._app.push_screen(log_level_screen(self._workspace.log_level), self._set_log_level)

    def _set_log_level(self, level: str | None) -> None:
        if level is not None:
            self._run(partial(self._workspace.set_log_level, level), lambda: f"Log level: {level}.")

    def _describe_revision(self) -> str:
        session = self._workspace.session
        return "" if session is None else f"Your calls now use revision {session.revision.date}."

    def _run(self, operation: Callable[[], Awaitable[None]], describe: Callable[[], str]) -> None:
        start_worker(self._app, partial(self._run_and_report, operation, describe), "session")

    async def _run_and_report(self, operation: Callable[[], Awaitable[None]], describe: Callable[[], str]) -> None:
        try:
            await operation()
        except WorkbenchError as error:
            self._app.notify(f"Nothing has changed: {error}", title=_SETTING, severity="error", markup=False)
        else:
            self._app.notify(describe(), title=_SETTING, markup=False)


def revision_screen(current: Revision, *, is_relay: bool) -> ChoiceScreen:
    """Return the dialog for a revision; for a relay, whose server may not support all, also :data:`NEWEST`."""
    choices = [
        Choice(date, str(key), _choice_title(date, current.date), revision.summary)
        for key, (date, revision) in enumerate(REVISIONS.items(), start=1)
    ]
    if is_relay:
        choices.append(Choice(NEWEST, "a", "The newest", "the newest revision of the server"))
    return ChoiceScreen(
        "Switch protocol revision",
        "Your calls use a new session in this protocol revision. Other clients are not affected.",
        tuple(choices),
    )


def persona_screen(current: Persona, personas: Personas) -> ChoiceScreen:
    choices = [
        Choice(
            persona.name,
            _key(at),
            _choice_title(persona.name, current.name),
            f"{persona.revision} {persona.summary}".strip(),
        )
        for at, persona in enumerate(personas.personas)
    ]
    problem = f"\n\nworkbench.yaml: {personas.problems[0]}" if personas.problems else ""
    text = (
        f"Your calls use a new session, in which the server sees this client. Other clients are not affected.{problem}"
    )
    return ChoiceScreen("Switch persona", text, tuple(choices))


def _key(index: int) -> str:
    """Return the key of a choice: digits, then letters; nothing where both are used up."""
    keys = "123456789abcdefghilmnopqrstuvwxyz"
    return keys[index] if index < len(keys) else " "


def log_level_screen(current: str) -> ChoiceScreen:
    choices = (Choice(level, str(key), _choice_title(level, current)) for key, level in enumerate(LOG_LEVELS, start=1))
    return ChoiceScreen(
        "Log messages",
        "The minimum level of the log messages that the server sends here; the Inspector shows them.",
        tuple(choices),
    )


def meta_screen(current: dict[str, str]) -> PromptScreen:
    return PromptScreen(
        "_meta of your calls",
        "Members of _meta in every call from now on, for tools with requires_metadata; empty for none.",
        placeholder="team=beans region=north",
        value=format_attributes(current),
        problem=_attributes_problem,
    )


def _attributes_problem(text: str) -> str | None:
    try:
        parse_attributes(text)
    except ValueError as error:
        return str(error)
    return None


def _choice_title(name: str, current: str) -> str:
    return f"{name} ← now" if name == current else name
