"""Secrets are set and unset, and never shown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.widgets import Input

from server_core.errors import RemoteError
from server_core.records.tap import Direction, Kind
from tests.waiting import until
from tests.workbench.tui.driving import Driven, screen_text, terminal, toasts
from tests.workbench.tui.fakes import ACCOUNTS, SECRETS, FakeLink, record


@asynccontextmanager
async def secrets(link: FakeLink) -> AsyncIterator[Driven]:
    async with terminal(link, pane="secrets", size=(80, 24)) as (pilot, app):
        await until(lambda: "SUPPLIER_KEY" in screen_text(app))
        yield pilot, app


async def test_each_secret_shows_whether_it_is_set_its_source_and_the_tools_that_need_it() -> None:
    async with secrets(FakeLink()) as (pilot, app):
        rows = screen_text(app).splitlines()
        assert all(part in next(row for row in rows if "MAP_KEY" in row) for part in ("✓ set", ".env", "route"))
        assert all(part in next(row for row in rows if "SUPPLIER_KEY" in row) for part in ("✗ missing", "order_beans"))
        assert "log in" not in rows[-1]
        await pilot.press("G", "y")
        await until(lambda: "The name of the secret SUPPLIER_KEY is in the clipboard." in toasts(app))
        assert app.clipboard == "SUPPLIER_KEY"


async def test_a_missing_secret_is_set_and_its_value_is_never_shown() -> None:
    link = FakeLink()
    async with secrets(link) as (pilot, app):
        await pilot.press("G", "enter")
        await until(lambda: app.screen.is_modal)
        app.screen.query_one(Input).value = "s3cret-value"
        await pilot.pause()
        assert "s3cret" not in screen_text(app)
        assert "••••" in screen_text(app)
        now_set = {**SECRETS[2], "is_set": True, "source": ".env", "path": "/home/ada/demo/.env"}
        link.answers["secrets/list"] = {"secrets": [*SECRETS[:2], now_set]}
        await pilot.press("enter")
        await until(lambda: "It is set in /home/ada/demo/.env" in screen_text(app))
        assert ("secrets/set", {"key": "SUPPLIER_KEY", "value": "s3cret-value"}) in link.asked
        assert "s3cret" not in screen_text(app) + toasts(app)


async def test_an_empty_value_is_refused() -> None:
    link = FakeLink()
    async with secrets(link) as (pilot, app):
        await pilot.press("G", "enter")
        await until(lambda: app.screen.is_modal)
        await pilot.press("enter")
        await until(lambda: "Enter a value, or press Esc." in screen_text(app))
        await pilot.press("escape")
        assert not app.screen.is_modal
        assert "secrets/set" not in link.methods


async def test_a_secret_of_the_environment_cannot_be_set_here_and_the_reason_is_shown() -> None:
    async with secrets(FakeLink()) as (pilot, app):
        await pilot.press("g", "enter")
        await until(lambda: "overrides .env" in toasts(app))
        assert not app.screen.is_modal
        await pilot.press("u")
        await until(lambda: "is set in the environment: unset it there" in toasts(app))


async def test_a_secret_is_unset_after_a_question_that_names_it_and_its_place() -> None:
    link = FakeLink()
    async with secrets(link) as (pilot, app):
        await pilot.press("g", "j", "u")
        await until(lambda: "MAP_KEY is stored in /home/ada/demo/.env." in screen_text(app))
        await pilot.press("enter")
        await until(lambda: not app.screen.is_modal)
        assert "secrets/unset" not in link.methods
        await pilot.press("u")
        await until(lambda: app.screen.is_modal)
        await pilot.press("r")
        await until(lambda: ("secrets/unset", {"key": "MAP_KEY"}) in link.asked)
        await until(lambda: "MAP_KEY is no longer set." in toasts(app))


async def test_a_refusal_of_the_core_is_shown_with_its_message() -> None:
    link = FakeLink()
    link.answers["secrets/unset"] = RemoteError(-32003, "secrets/unset needs the role admin; yours is viewer")
    async with secrets(link) as (pilot, app):
        await pilot.press("g", "j", "u")
        await until(lambda: app.screen.is_modal)
        await pilot.press("r")
        await until(lambda: "needs the role admin" in toasts(app))


async def test_without_declared_secrets_it_shows_how_to_declare_a_secret() -> None:
    link = FakeLink()
    link.answers["secrets/list"] = {"secrets": []}
    async with terminal(link, pane="secrets", size=(80, 24)) as (pilot, app):
        await until(lambda: 'requires_secrets=["NAME"]' in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "No tool declares a secret." in toasts(app))


async def test_a_secret_can_be_stored_in_the_vault_instead() -> None:
    link = FakeLink()
    async with secrets(link) as (pilot, app):
        await pilot.press("G", "v")
        await until(lambda: app.screen.is_modal)
        assert "stored in the encrypted vault" in screen_text(app)
        app.screen.query_one(Input).value = "s3cret-value"
        stored = {**SECRETS[2], "is_set": True, "source": "vault", "owner": "", "readers": ["/home/ada/other"]}
        link.answers["secrets/list"] = {"secrets": [*SECRETS[:2], stored]}
        await pilot.press("enter")
        await until(lambda: "It is set in the vault. It is granted to /home/ada/other." in screen_text(app))
        assert ("secrets/set", {"key": "SUPPLIER_KEY", "value": "s3cret-value", "place": "vault"}) in link.asked


async def test_a_secret_in_the_env_file_is_not_stored_in_the_vault_where_it_would_have_no_effect() -> None:
    async with secrets(FakeLink()) as (pilot, app):
        await pilot.press("g", "j", "v")
        await until(lambda: "overrides the vault: unset it." in toasts(app))
        assert not app.screen.is_modal


async def test_a_secret_of_another_project_is_shown_as_such_and_not_unset_here() -> None:
    link = FakeLink()
    granted = {**SECRETS[2], "is_set": True, "source": "vault", "owner": "/home/ada/other", "readers": []}
    link.answers["secrets/list"] = {"secrets": [*SECRETS[:2], granted]}
    async with secrets(link) as (pilot, app):
        await pilot.press("G")
        await until(lambda: "It is set in the vault, and belongs to /home/ada/other." in screen_text(app))
        await pilot.press("u")
        await until(lambda: "unset it there, or revoke the grant" in toasts(app))


async def test_a_name_reserved_for_the_server_is_shown_as_such() -> None:
    link = FakeLink()
    link.answers["secrets/list"] = {"secrets": [*SECRETS[:2], {**SECRETS[2], "key": "MCP_KEY"}]}
    async with terminal(link, pane="secrets", size=(80, 24)) as (pilot, app):
        await pilot.press("G")
        await until(lambda: "Its name is reserved for the server" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "reserved for the server" in toasts(app))


def with_accounts(*accounts: dict[str, Any]) -> FakeLink:
    link = FakeLink()
    link.answers["accounts/list"] = {"accounts": list(accounts or ACCOUNTS)}
    return link


async def emit_event(link: FakeLink, **event: Any) -> None:
    link.arrive([record(1, Kind.LIFECYCLE, Direction.NONE, event)])


async def test_each_account_shows_its_status_its_user_and_the_tools_that_need_it() -> None:
    async with secrets(with_accounts()) as (pilot, app):
        await until(lambda: "slack" in screen_text(app))
        rows = screen_text(app).splitlines()
        assert "✓ authorized as ada@example.org" in next(row for row in rows if row.strip().startswith("github"))
        assert "✗ no client" in next(row for row in rows if row.strip().startswith("google"))
        assert "github is needed by my_login, star." in screen_text(app)
        await pilot.press("tab", "j")
        await until(lambda: "GOOGLE_CLIENT_ID" in screen_text(app))


async def test_without_accounts_there_is_no_list_of_them_and_the_reason_is_shown() -> None:
    async with secrets(FakeLink()) as (pilot, app):
        assert "account" not in screen_text(app)
        await pilot.press("l")
        await until(lambda: "No tool needs an account" in toasts(app))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"event": "authorized"}, "The tools may now use your account with Slack."),
        ({"event": "authorization_failed", "reason": "Slack said no."}, "Slack: Slack said no."),
    ],
)
async def test_the_user_is_shown_where_to_agree_until_that_is_done(event: dict[str, Any], words: str) -> None:
    link = with_accounts(ACCOUNTS[2])
    async with secrets(link) as (pilot, app):
        await until(lambda: "slack" in screen_text(app))
        await pilot.press("l")
        await until(lambda: app.screen.is_modal)
        await until(lambda: "https://slack.com/oauth/v2/authorize?state=xyz" in screen_text(app))
        assert ("accounts/login", {"account": "slack", "device": False}) in link.asked
        await emit_event(link, **event, account="slack")
        await until(lambda: not app.screen.is_modal)
        await until(lambda: words in toasts(app))


async def test_a_user_who_leaves_the_dialog_can_still_agree() -> None:
    link = with_accounts(ACCOUNTS[2])
    async with secrets(link) as (pilot, app):
        await until(lambda: "slack" in screen_text(app))
        await pilot.press("tab", "enter")
        await until(lambda: app.screen.is_modal)
        await pilot.press("escape")
        await until(lambda: "The URL stays valid." in toasts(app))
        link.answers["accounts/list"] = {"accounts": [{**ACCOUNTS[0], "account": "slack", "service": "Slack"}]}
        await emit_event(link, event="authorized", account="slack")
        await until(lambda: "✓ authorized as ada@example.org" in screen_text(app))


async def test_a_code_for_another_device_is_shown_if_the_service_supports_it() -> None:
    link = with_accounts({**ACCOUNTS[2], "by_device": True})
    link.answers["accounts/login"] = {"url": "https://slack.com/device", "code": "ABCD-\x1b[31m1234"}
    async with secrets(link) as (pilot, app):
        await until(lambda: "slack" in screen_text(app))
        await pilot.press("d")
        await until(lambda: "ABCD-\\x1b[31m1234" in screen_text(app))
        assert ("accounts/login", {"account": "slack", "device": True}) in link.asked
    async with secrets(with_accounts(ACCOUNTS[2])) as (pilot, app):
        await until(lambda: "slack" in screen_text(app))
        await pilot.press("d")
        await until(lambda: "Slack has no device login: press l." in toasts(app))


async def test_an_account_is_forgotten() -> None:
    link = with_accounts(ACCOUNTS[0])
    async with secrets(link) as (pilot, app):
        await until(lambda: "github" in screen_text(app))
        await pilot.press("o")
        await until(lambda: ("accounts/logout", {"account": "github"}) in link.asked)
        await until(lambda: "Logged out of GitHub; the token is revoked." in toasts(app))


@pytest.mark.parametrize(
    ("account", "key", "words"),
    [
        (ACCOUNTS[1], "l", "GOOGLE_CLIENT_ID"),
        (ACCOUNTS[2], "o", "slack is not logged in."),
        ({**ACCOUNTS[2], "state": "static token"}, "l", "no login is needed"),
        ({**ACCOUNTS[2], "state": "static token"}, "o", "unset that secret instead"),
        (
            {key: ACCOUNTS[1][key] for key in ("account", "tools", "wanted")}
            | {"state": "not configured", "problem": "Put authorize_url under [tool.workbench.auth.google]."},
            "d",
            "Put authorize_url under [tool.workbench.auth.google].",
        ),
    ],
)
async def test_an_action_not_available_for_an_account_shows_the_reason(
    account: dict[str, Any], key: str, words: str
) -> None:
    async with secrets(with_accounts(account)) as (pilot, app):
        await until(lambda: account["account"] in screen_text(app))
        await pilot.press(key)
        await until(lambda: words in toasts(app))
        assert not app.screen.is_modal


async def test_a_refused_login_is_shown_with_the_message_of_the_core() -> None:
    link = with_accounts(ACCOUNTS[2])
    link.answers["accounts/login"] = RemoteError(-32003, "accounts/login needs the role admin; yours is viewer")
    async with secrets(link) as (pilot, app):
        await until(lambda: "slack" in screen_text(app))
        await pilot.press("l")
        await until(lambda: "needs the role admin" in toasts(app))
