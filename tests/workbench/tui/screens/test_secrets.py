"""Secrets are set and unset, and never shown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from server_core.errors import RemoteError
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, told
from tests.workbench.tui.fakes import SECRETS, FakeLink, opener
from workbench.tui.app import WorkbenchApp


@asynccontextmanager
async def secrets(link: FakeLink) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
    app = WorkbenchApp(opener(link), place="secrets")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, "secrets")
        await until(lambda: "SUPPLIER_KEY" in screen_text(app))
        yield pilot, app


async def test_each_secret_tells_whether_it_is_set_from_where_and_who_needs_it() -> None:
    async with secrets(FakeLink()) as (_, app):
        rows = screen_text(app).splitlines()
        assert all(part in next(row for row in rows if "MAP_KEY" in row) for part in ("✓ set", ".env", "route"))
        assert all(part in next(row for row in rows if "SUPPLIER_KEY" in row) for part in ("✗ missing", "order_beans"))


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
        assert "s3cret" not in screen_text(app) + told(app)


async def test_an_empty_value_is_not_taken() -> None:
    link = FakeLink()
    async with secrets(link) as (pilot, app):
        await pilot.press("G", "enter")
        await until(lambda: app.screen.is_modal)
        await pilot.press("enter")
        assert "Write something, or press Esc." in screen_text(app)
        await pilot.press("escape")
        assert not app.screen.is_modal
        assert all(method != "secrets/set" for method, _ in link.asked)


async def test_a_secret_of_the_environment_cannot_be_set_here_and_the_reason_is_told() -> None:
    async with secrets(FakeLink()) as (pilot, app):
        await pilot.press("g", "enter")
        await until(lambda: "wins over .env" in told(app))
        assert not app.screen.is_modal
        await pilot.press("u")
        await until(lambda: "unset the variable there" in told(app))


async def test_a_secret_is_unset() -> None:
    link = FakeLink()
    async with secrets(link) as (pilot, app):
        await pilot.press("g", "j", "u")
        await until(lambda: ("secrets/unset", {"key": "MAP_KEY"}) in link.asked)
        await until(lambda: "MAP_KEY is no longer set." in told(app))


async def test_a_refusal_of_the_core_is_told_in_its_words() -> None:
    link = FakeLink()
    link.answers["secrets/unset"] = RemoteError(-32003, "secrets/unset needs the role admin; yours is viewer")
    async with secrets(link) as (pilot, app):
        await pilot.press("g", "j", "u")
        await until(lambda: "needs the role admin" in told(app))


async def test_without_declared_secrets_it_says_how_to_declare_one() -> None:
    link = FakeLink()
    link.answers["secrets/list"] = {"secrets": []}
    app = WorkbenchApp(opener(link), place="secrets")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, "secrets")
        await until(lambda: 'requires_secrets=["NAME"]' in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "No tool declares a secret." in told(app))


async def test_a_secret_can_be_kept_in_the_vault_instead() -> None:
    link = FakeLink()
    async with secrets(link) as (pilot, app):
        await pilot.press("G", "v")
        await until(lambda: app.screen.is_modal)
        assert "kept in the encrypted vault" in screen_text(app)
        app.screen.query_one(Input).value = "s3cret-value"
        kept = {**SECRETS[2], "is_set": True, "source": "vault", "owner": "", "readers": ["/home/ada/other"]}
        link.answers["secrets/list"] = {"secrets": [*SECRETS[:2], kept]}
        await pilot.press("enter")
        await until(lambda: "It is set in the vault. It is granted to /home/ada/other." in screen_text(app))
        assert ("secrets/set", {"key": "SUPPLIER_KEY", "value": "s3cret-value", "place": "vault"}) in link.asked


async def test_what_stands_in_the_env_file_is_not_put_in_the_vault_where_it_would_have_no_effect() -> None:
    async with secrets(FakeLink()) as (pilot, app):
        await pilot.press("g", "j", "v")
        await until(lambda: "wins over the vault: unset it first" in told(app))
        assert not app.screen.is_modal


async def test_a_secret_of_another_project_is_told_as_such_and_not_unset_here() -> None:
    link = FakeLink()
    granted = {**SECRETS[2], "is_set": True, "source": "vault", "owner": "/home/ada/other", "readers": []}
    link.answers["secrets/list"] = {"secrets": [*SECRETS[:2], granted]}
    async with secrets(link) as (pilot, app):
        await pilot.press("G")
        await until(lambda: "It is set in the vault, and belongs to /home/ada/other." in screen_text(app))
        await pilot.press("u")
        await until(lambda: "unset it there, or revoke the grant" in told(app))


async def test_a_name_that_is_kept_for_the_server_is_told_as_such() -> None:
    link = FakeLink()
    link.answers["secrets/list"] = {"secrets": [*SECRETS[:2], {**SECRETS[2], "key": "MCP_KEY"}]}
    app = WorkbenchApp(opener(link), place="secrets")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, "secrets")
        await pilot.press("G")
        await until(lambda: "Its name is kept for the server itself" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "kept for the server itself" in told(app))
