"""`workbench auth`: the accounts that the tools of a project use. No token is ever printed."""

import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from server_core.errors import ConfigurationError
from workbench.cli import console, output
from workbench.cli.command_run import DONE, FAILED, guarded, run
from workbench.cli.line_prompts import Asker
from workbench.cli.options import JsonOption, ProjectOption
from workbench.model.missing_requirements import account_status
from workbench.model.short_text import escaped

if TYPE_CHECKING:
    from server_core.auth.broker.account_grants import Owner
    from server_core.auth.broker.broker import Broker
    from server_core.auth.required_accounts import RequiredAccount
    from server_core.auth.requirement import AuthRequirement

group = typer.Typer(help="The accounts that tools use: list them, log in, log out.", no_args_is_help=True)

AccountArgument = Annotated[
    str,
    typer.Argument(
        metavar="ACCOUNT", help="The name of the account, as in `workbench auth list`: github, github.work."
    ),
]


@group.command("list")
def list_accounts(project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """List the accounts that the tools of the project need, with their status."""
    return guarded(lambda: run(_list(_Accounts(project), as_json)))


@group.command("login")
def login(
    account: AccountArgument,
    scopes: Annotated[
        str, typer.Option("--scopes", metavar="SCOPES", help="More scopes to request, separated by commas.")
    ] = "",
    device: Annotated[bool, typer.Option("--device", help="Log in on another device, with a code.")] = False,
    project: ProjectOption = None,
) -> int:
    """Let the tools of the project use your account with a service."""
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    return guarded(lambda: run(_login(_Accounts(project), account, wanted, device)))


@group.command("logout")
def logout(account: AccountArgument, project: ProjectOption = None) -> int:
    """Log out of a service: remove the token and revoke it."""
    return guarded(lambda: run(_logout(_Accounts(project), account)))


class _Accounts:
    """The accounts of a project, by default the one here, and the broker of their tokens."""

    def __init__(self, path: Path | None) -> None:
        from server_core.auth.broker import open_broker
        from server_core.auth.broker.account_grants import Owner
        from server_core.auth.required_accounts import required_accounts
        from server_core.loading.package_source import open_project
        from server_core.process.stdio_guard import StdioGuard
        from server_core.records.tap import Tap
        from server_core.secrets import SecretStore
        from server_core.settings import Settings

        path = path or Path.cwd()
        settings, tap = Settings.of_project(path), Tap()
        project = open_project(path, settings)
        stdio_guard = StdioGuard(tap)
        try:
            tools = project.load().catalog.tools.values()
        finally:
            stdio_guard.close()
        self.needed: dict[str, RequiredAccount] = required_accounts(tools)
        self.owner: Owner = Owner(settings.user_id)
        self.broker: Broker = open_broker(project.source.folder, SecretStore(project.source.folder), settings, tap)

    def requirement(self, account: str, scopes: list[str]) -> "AuthRequirement":
        from server_core.auth.required_accounts import requirement_of
        from server_core.errors import ToolDefinitionError

        needed = self.needed.get(account)
        earlier = () if needed is None else needed.requirement.scopes
        try:
            return requirement_of(account, dict.fromkeys([*earlier, *scopes]))
        except ToolDefinitionError as error:
            raise ConfigurationError(str(error)) from error


async def _list(accounts: _Accounts, as_json: bool) -> int:
    from server_core.auth.required_accounts import describe_accounts

    broker = accounts.broker
    try:
        accounts_info = await describe_accounts(accounts.needed, broker, accounts.owner)
    finally:
        await broker.close()
    if as_json:
        output.print_json(accounts_info)
    elif accounts_info:
        rows = [("ACCOUNT", "STATE", "SCOPES", "TOOLS")]
        rows += [
            (account["account"], account_status(account), ", ".join(account["wanted"]), ", ".join(account["tools"]))
            for account in accounts_info
        ]
        output.print_table(rows)
    else:
        console.write("The tools of this project need no accounts.")
    for account in accounts_info:
        if "problem" in account:
            console.warn(account["problem"])
    return DONE


async def _login(accounts: _Accounts, name: str, scopes: list[str], by_device: bool) -> int:
    from server_core.oauth.errors import TokenRefused

    broker, requirement = accounts.broker, accounts.requirement(name, scopes)
    try:
        if by_device:
            await _login_by_device(broker, requirement, accounts.owner)
        else:
            await _login_by_browser(broker, requirement, accounts.owner)
        account = await broker.status(requirement, accounts.owner)
    except TokenRefused as error:
        console.fail(str(error))
        return FAILED
    finally:
        await broker.close()
    console.write(f"{account.registration.provider.name}: authorized{_account_name(account.user_info)}.")
    return DONE


async def _login_by_browser(broker: "Broker", requirement: "AuthRequirement", owner: "Owner") -> None:
    from server_core.auth.broker.consents import CONSENT_SECONDS
    from server_core.oauth.browser import browser_offer

    consent = await broker.consent(requirement, owner)
    console.write(f"Open this URL in a browser and approve the login:\n{consent.url}")
    async with AsyncExitStack() as stack:
        asker = await stack.enter_async_context(Asker.at_terminal()) if sys.stderr.isatty() else None

        async def agrees(url: str) -> bool:
            return asker is not None and await asker.agrees_to_browser()

        await stack.enter_async_context(browser_offer(consent.url, agrees))
        await consent.wait(CONSENT_SECONDS + 1)


async def _login_by_device(broker: "Broker", requirement: "AuthRequirement", owner: "Owner") -> None:
    consent = await broker.begin_device(requirement, owner)
    console.write(f"Open {consent.url} on any device and enter this code: {consent.user_code}")
    await broker.finish_device(requirement, owner, consent)


async def _logout(accounts: _Accounts, name: str) -> int:
    broker, requirement = accounts.broker, accounts.requirement(name, [])
    try:
        account = await broker.status(requirement, accounts.owner)
        service = account.registration.provider.name
        if account.state == "static token":
            raise ConfigurationError(f"{service} has a static token: unset that secret instead.")
        revoked = await broker.forget(requirement, accounts.owner)
    finally:
        await broker.close()
    if revoked:
        console.write(f"{service}: logged out, and the token is revoked.")
    else:
        console.write(f"{service}: logged out here. To revoke the token itself, use your account's settings there.")
    return DONE


def _account_name(user_info: dict[str, Any]) -> str:
    from server_core.auth.required_accounts import user_name

    return f" as {escaped(name)}" if (name := user_name(user_info)) else ""
