"""The secrets and the accounts that the tools declare: who needs them, and their status; never a value or a token."""

from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content

from server_core.secrets.secret_names import is_reserved
from workbench.model.missing_requirements import account_advice, account_status, is_usable, scopes_text
from workbench.model.short_text import escaped_lines
from workbench.tui.key_bindings import bindings, key_for
from workbench.tui.pane import Copied, Pane
from workbench.tui.screens.dialogs import Choice, ChoiceScreen, PromptScreen
from workbench.tui.screens.login import LoginScreen
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.widgets.panels import DetailPanel, Panels, TablePanel


class SecretsPane(Pane):
    """The secrets, and under them the accounts, if a tool needs an account."""

    PLACE: ClassVar[str] = "secrets"
    BINDINGS = bindings(PLACE)

    DEFAULT_CSS = """
    SecretsPane {
        & #account-list, & #account { display: none; }
        &.-accounts #account-list, &.-accounts #account { display: block; }
    }
    """

    def compose(self) -> ComposeResult:
        secrets = Table(
            ("secret", "state", "from", "needed by"),
            wide_column=3,
            empty_text="No tool declares a secret.",
            id="secret-table",
        )
        accounts = Table(
            ("account", "state", "needed by"), wide_column=2, empty_text="No tool needs an account.", id="account-table"
        )
        yield Panels(
            TablePanel("Secrets", secrets, id="secret-list"),
            DetailPanel("Secret", id="secret"),
            TablePanel("Accounts", accounts, id="account-list"),
            DetailPanel("Account", id="account"),
        )

    @property
    def table(self) -> Table:
        return self.query_one("#secret-table", Table)

    @property
    def accounts(self) -> Table:
        return self.query_one("#account-table", Table)

    @property
    def _secret(self) -> dict[str, Any] | None:
        return self.table.current_item(self.workspace.core.secrets)

    @property
    def _account(self) -> dict[str, Any] | None:
        return self.accounts.current_item(self.workspace.core.accounts)

    def on_shown(self) -> None:
        self.workspace_changed("secrets")
        self.workspace_changed("accounts")
        self.keep_or_take_focus()

    def take_focus(self) -> None:
        self.screen.set_focus(
            self.accounts if self.workspace.core.accounts and not self.workspace.core.secrets else self.table
        )

    def workspace_changed(self, part: str) -> None:
        if part == "secrets":
            self.query_one("#secret-list", TablePanel).show_rows(
                [_secret_row(secret) for secret in self.workspace.core.secrets]
            )
        elif part == "accounts":
            self.set_class(bool(self.workspace.core.accounts), "-accounts")
            self.query_one("#account-list", TablePanel).show_rows(
                [_account_row(account) for account in self.workspace.core.accounts]
            )
        self._paint_notes()

    def _paint_notes(self) -> None:
        secret, account = self._secret, self._account
        self.query_one("#secret", DetailPanel).show(_NO_SECRET if secret is None else _secret_note(secret))
        self.query_one("#account", DetailPanel).show(None if account is None else _account_note(account))

    def copied(self) -> Copied | None:
        kind = "account" if self.accounts.has_focus else "secret"
        if (item := self._account if kind == "account" else self._secret) is None:
            return None
        name = str(item["account" if kind == "account" else "key"])
        return Copied(f"The name of the {kind} {name}", name)

    def why_not(self, action: str) -> str | None:
        if action == "copy" and self.accounts.has_focus:
            return None
        return self._why_not_account(action) if action in _ACCOUNT_ACTIONS else self._why_not_secret(action)

    def is_hinted(self, action: str) -> bool:
        return action != "log_in" or bool(self.workspace.core.accounts)

    def _why_not_secret(self, action: str) -> str | None:
        secret = self._secret
        if secret is None:
            return "No tool declares a secret."
        if action in ("set_secret", "store_in_vault") and is_reserved(secret["key"]):
            return f"{secret['key']} is reserved for the server; tools do not receive it."
        if action in ("set_secret", "store_in_vault") and secret["source"] == "environment":
            return f"{secret['key']} is in the environment, which overrides .env: unset it."
        if action == "store_in_vault" and secret["source"] == ".env":
            return f"{secret['key']} is in .env, which overrides the vault: unset it."
        if action == "unset_secret" and secret.get("owner"):
            return f"{secret['key']} belongs to {secret['owner']}: unset it there, or revoke the grant."
        if action == "unset_secret" and secret["source"] == "environment":
            return f"{secret['key']} is set in the environment: unset it there."
        if action == "unset_secret" and not secret["is_set"]:
            return f"{secret['key']} is not set."
        return None

    def _why_not_account(self, action: str) -> str | None:
        account = self._account
        if account is None:
            return "No tool needs an account. Declare it with @tool(requires_auth=...)."
        if action == "log_out":
            if account["state"] == "static token":
                return f"{account['account']} has a static token: unset that secret instead."
            return None if account.get("scopes") else f"{account['account']} is not logged in."
        if account["state"] == "static token":
            return f"{account['account']} has a static token: no login is needed."
        if action == "log_in_by_device" and not account.get("by_device", True):
            return f"{account['service']} has no device login: press {key_for('log_in', self.PLACE)}."
        return account.get("problem")

    @work(exclusive=True)
    async def action_set_secret(self) -> None:
        await self._ask_and_set("The value is written to .env and never shown.")

    @work(exclusive=True)
    async def action_store_in_vault(self) -> None:
        await self._ask_and_set("The value is stored in the encrypted vault and never shown.", "vault")

    async def _ask_and_set(self, text: str, place: str = "") -> None:
        secret = self._secret
        if secret is None:
            return
        value = await self.app.push_screen_wait(PromptScreen(f"Set {secret['key']}", text, hidden=True))
        if value is not None and await self.attempt(self.workspace.core.set_secret(secret["key"], value, place)):
            self.notify(f"{secret['key']} is set.", title=_topic(secret["key"]), markup=False)
            self.log_command("secrets.store_in_vault" if place else "secrets.set_secret", key=secret["key"])

    @work(exclusive=True)
    async def action_unset_secret(self) -> None:
        secret = self._secret
        if secret is None:
            return
        text = f"{secret['key']} is stored in {_secret_place(secret)}."
        choice = await self.app.push_screen_wait(ChoiceScreen("Remove the value of this secret?", text, _REMOVAL))
        if choice == "remove" and await self.attempt(self.workspace.core.unset_secret(secret["key"])):
            self.notify(f"{secret['key']} is no longer set.", title=_topic(secret["key"]), markup=False)
            self.log_command("secrets.unset_secret", key=secret["key"])

    @work(exclusive=True)
    async def action_log_in(self) -> None:
        await self._log_in()

    @work(exclusive=True)
    async def action_log_in_by_device(self) -> None:
        await self._log_in(by_device=True)

    async def _log_in(self, *, by_device: bool = False) -> None:
        if (account := self._account) is None:
            return
        if (login := await self.result_of(self.workspace.core.log_in(account["account"], by_device=by_device))) is None:
            return
        action = "secrets.log_in_by_device" if by_device else "secrets.log_in"
        self.log_command(action, account=account["account"])
        failure = await self.app.push_screen_wait(LoginScreen(account["service"], login))
        if failure is None:
            self.notify(
                "The URL stays valid. The list shows the login.", title=_topic(account["service"]), markup=False
            )
        elif failure:
            self.notify(
                f"{account['service']}: {failure}", title=_topic(account["service"]), severity="error", markup=False
            )
        else:
            self.notify(
                f"The tools may now use your account with {account['service']}.",
                title=_topic(account["service"]),
                markup=False,
            )

    @work(exclusive=True)
    async def action_log_out(self) -> None:
        if (account := self._account) is None:
            return
        if (is_revoked := await self.result_of(self.workspace.core.log_out(account["account"]))) is None:
            return
        self.log_command("secrets.log_out", account=account["account"])
        rest = "the token is revoked." if is_revoked else "to revoke the token itself, use your account there."
        self.notify(f"Logged out of {account['service']}; {rest}", title=_topic(account["service"]), markup=False)

    @on(Lines.Highlighted)
    def _moved(self) -> None:
        self._paint_notes()

    @on(Lines.Selected, "#secret-table")
    async def _secret_opened(self) -> None:
        await self.action_act("set_secret")

    @on(Lines.Selected, "#account-table")
    async def _account_opened(self) -> None:
        await self.action_act("log_in")


_NO_SECRET = Content('Declare it with @tool(requires_secrets=["NAME"]).')
_REMOVAL = (
    Choice("keep", "k", "Keep it"),
    Choice("remove", "r", "Remove it", "the value is shown nowhere, and cannot be restored"),
)
_ACCOUNT_ACTIONS = ("log_in", "log_in_by_device", "log_out")


def _secret_note(secret: dict[str, Any]) -> Content:
    text = f"{secret['key']} is needed by {', '.join(secret['tools'])}.\n{_secret_advice(secret)}"
    return Content(escaped_lines(text))


def _account_note(account: dict[str, Any]) -> Content:
    needed = f"{account['account']} is needed by {', '.join(account['tools'])}."
    return Content(escaped_lines(f"{needed}\n{scopes_text(account)}{account_advice(account)}"))


def _account_row(account: dict[str, Any]) -> tuple[StyledText, ...]:
    sign, colour = ("✓", "table--good") if is_usable(account) else ("✗", "table--bad")
    return (account["account"], ""), (f"{sign} {account_status(account)}", colour), (", ".join(account["tools"]), "")


def _secret_row(secret: dict[str, Any]) -> tuple[StyledText, ...]:
    state = ("✓ set", "table--good") if secret["is_set"] else ("✗ missing", "table--bad")
    source = secret["source"] if secret["is_set"] else ""
    return (secret["key"], ""), state, (source, "table--muted"), (", ".join(secret["tools"]), "")


def _secret_advice(secret: dict[str, Any]) -> str:
    """Which store holds the value and which has precedence, or what to do."""
    if secret["source"] == "environment":
        return "It is set in the core's environment, which overrides .env."
    if secret["is_set"]:
        owner = f", and belongs to {secret['owner']}" if secret.get("owner") else ""
        readers = f" It is granted to {', '.join(secret['readers'])}." if secret.get("readers") and not owner else ""
        return f"It is set in {_secret_place(secret)}{owner}.{readers}"
    if is_reserved(secret["key"]):
        return "Its name is reserved for the server, so tools do not receive it: declare another name."
    dotenv, vault = (key_for(action, SecretsPane.PLACE) for action in ("set_secret", "store_in_vault"))
    return (
        f"Press {dotenv} to write it to .env with mode 0600, or {vault} to store it in the encrypted vault. "
        "Until then, calls of these tools fail."
    )


def _secret_place(secret: dict[str, Any]) -> str:
    """Return where the value of a secret is stored: a file, the keyring or the vault."""
    if secret["source"] in ("keyring", "vault"):
        return f"the {secret['source']}"
    return secret["path"] or ".env"


def _topic(name: object) -> str:
    """Return the topic of the notices about a secret or a service: only the latest is true."""
    return f"secret {name}"
