"""The secrets that the tools declare: who needs them, whether they are set and from where; never what they are."""

from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from server_core.secrets.names import is_reserved
from workbench.model.plain import escaped_lines
from workbench.tui.actions import bindings
from workbench.tui.pane import Pane
from workbench.tui.screens.dialogs import PromptScreen
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import Part
from workbench.tui.widgets.table import Table


class SecretsPane(Pane):
    """The secrets."""

    PLACE: ClassVar[str] = "secrets"
    BINDINGS = bindings(PLACE)

    DEFAULT_CSS = """
    SecretsPane {
        padding: 1;
        & Table { height: auto; max-height: 70%; }
    }
    """

    def compose(self) -> ComposeResult:
        """Make the list and the note under it."""
        yield Table(
            ("secret", "state", "from", "needed by"),
            stretched=3,
            nothing='No tool declares a secret: @tool(requires_secrets=["NAME"]) does.',
            id="secret-table",
        )
        yield Static(id="secret-note", classes="note")

    @property
    def table(self) -> Table:
        """The list."""
        return self.query_one("#secret-table", Table)

    def on_shown(self) -> None:
        """Show what there is."""
        self.desk_changed("secrets")
        self.table.focus()

    def desk_changed(self, part: str) -> None:
        """Show the secrets again."""
        if part == "secrets":
            self.table.show_rows([_row(secret) for secret in self.desk.secrets])
            self._paint_note()

    def why_not(self, action: str) -> str | None:
        """Say why a secret cannot be set or unset."""
        secret = self._secret
        if secret is None:
            return "No tool declares a secret."
        if action in ("set_secret", "keep_secret") and is_reserved(secret["key"]):
            return f"{secret['key']} is kept for the server itself, and no tool is shown it."
        if action in ("set_secret", "keep_secret") and secret["source"] == "environment":
            return f"{secret['key']} comes from the environment, which wins over .env: unset the variable there first."
        if action == "keep_secret" and secret["source"] == ".env":
            return f"{secret['key']} stands in .env, which wins over the vault: unset it first."
        if action == "unset_secret" and secret.get("owner"):
            return f"{secret['key']} belongs to {secret['owner']}: unset it there, or revoke the grant."
        if action == "unset_secret" and secret["source"] == "environment":
            return f"{secret['key']} comes from the environment: unset the variable there."
        if action == "unset_secret" and not secret["is_set"]:
            return f"{secret['key']} is not set."
        return None

    @work(exclusive=True)
    async def action_set_secret(self) -> None:
        """Ask for the value and write it to `.env`."""
        await self._ask_and_set("The value is written to .env, and is shown nowhere.")

    @work(exclusive=True)
    async def action_keep_secret(self) -> None:
        """Ask for the value and keep it in the vault."""
        await self._ask_and_set("The value is kept in the encrypted vault, and is shown nowhere.", "vault")

    @work(exclusive=True)
    async def action_unset_secret(self) -> None:
        """Remove the secret."""
        secret = self._secret
        if secret is not None and await self.attempt(self.desk.unset_secret(secret["key"])):
            self.notify(f"{secret['key']} is no longer set.", markup=False)

    async def _ask_and_set(self, text: str, place: str = "") -> None:
        secret = self._secret
        if secret is None:
            return
        value = await self.app.push_screen_wait(PromptScreen(f"Set {secret['key']}", text, hidden=True))
        if value is not None and await self.attempt(self.desk.set_secret(secret["key"], value, place)):
            self.notify(f"{secret['key']} is set.", markup=False)

    @on(Lines.Highlighted, "#secret-table")
    def _moved(self) -> None:
        self._paint_note()

    @on(Lines.Selected, "#secret-table")
    async def _opened(self) -> None:
        await self.action_act("set_secret")

    @property
    def _secret(self) -> dict[str, Any] | None:
        """The one under the cursor."""
        secrets = self.desk.secrets
        return secrets[self.table.cursor] if self.table.cursor < len(secrets) else None

    def _paint_note(self) -> None:
        secret = self._secret
        note = self.query_one("#secret-note", Static)
        note.display = secret is not None
        if secret is not None:
            needed = f"{secret['key']} is needed by {', '.join(secret['tools'])}."
            note.update(Content(escaped_lines(f"{needed}\n{_advice(secret)}")))


def _row(secret: dict[str, Any]) -> tuple[Part, ...]:
    state = ("✓ set", "table--good") if secret["is_set"] else ("✗ missing", "table--bad")
    source = secret["source"] if secret["is_set"] else ""
    return (secret["key"], ""), state, (source, "table--muted"), (", ".join(secret["tools"]), "")


def _advice(secret: dict[str, Any]) -> str:
    """What holds the value and who wins, or what to do."""
    if secret["source"] == "environment":
        return "The environment of the core sets it, and wins over .env."
    if secret["is_set"]:
        place = f"the {secret['source']}" if secret["source"] in ("keyring", "vault") else secret["path"] or ".env"
        owner = f", and belongs to {secret['owner']}" if secret.get("owner") else ""
        readers = f" It is granted to {', '.join(secret['readers'])}." if secret.get("readers") and not owner else ""
        return f"It is set in {place}{owner}.{readers}"
    if is_reserved(secret["key"]):
        return "Its name is kept for the server itself, so no tool is shown it: let the tool declare another one."
    return (
        "Press enter to write it to .env with mode 0600, or v to keep it in the encrypted vault. "
        "Until then these tools answer with an error."
    )
