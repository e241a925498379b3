"""The accounts of tools over the link: their status, login and logout, permissions, and masked tokens."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server_core.core import Core
from server_core.errors import ProtocolError
from server_core.link.control import FORBIDDEN, REFUSED, Control
from server_core.link.roles import Role
from tests.server_core.auth.account_tools import TOOLS
from tests.server_core.auth.person import agree, decide
from tests.waiting import until, within


@pytest.fixture
async def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Core]:
    monkeypatch.setenv("WORKBENCH_AUTH", "mock")
    (tmp_path / "tools.py").write_text(TOOLS)
    core = Core(project=tmp_path, link=False)
    await core.start()
    await within(core.wait_loaded())
    yield core
    await within(core.stop())


def asker(core: Core, role: Role = Role.ADMIN) -> Control:
    return Control(core, role, lambda after: None)


async def account_of(core: Core) -> dict[str, Any]:
    (account,) = (await asker(core, Role.VIEWER).handle("accounts/list", {}))["accounts"]
    return dict(account)


async def wait_for_event(core: Core, event: str) -> dict[str, Any]:
    """Wait for an event of the core, and return it."""
    events: list[dict[str, Any]] = []

    def has_come() -> bool:
        core.backlog._drain_buffer()
        bodies = [json.loads(record.data) for record in core.backlog._recent if record.kind == "lifecycle"]
        events[:] = [body for body in bodies if body["event"] == event]
        return bool(events)

    await until(has_come)
    return events[-1]


async def test_an_account_is_listed_with_the_scopes_of_its_tools_and_its_status(core: Core) -> None:
    account = await account_of(core)
    assert (account["account"], account["state"]) == ("github", "needs consent")
    assert (account["wanted"], account["tools"]) == (["repo", "gist"], ["issues", "gists"])


async def test_a_user_logs_in_and_out_and_no_token_is_sent(core: Core) -> None:
    asked = await asker(core).handle("accounts/login", {"account": "github"})
    assert asked["code"] == ""
    await agree(asked["url"], person="ada")
    assert (await wait_for_event(core, "authorized"))["account"] == "github"
    account = await account_of(core)
    assert (account["state"], account["as"]) == ("authorized", "ada")
    assert "mock-" not in json.dumps(account)
    assert await asker(core).handle("accounts/logout", {"account": "github"}) == {"given_back": True}
    assert (await account_of(core))["state"] == "needs consent"


async def test_a_user_consents_on_another_device(core: Core) -> None:
    asked = await asker(core).handle("accounts/login", {"account": "github", "device": True})
    assert asked["code"]
    await decide(f"{asked['url']}?user_code={asked['code']}")
    await wait_for_event(core, "authorized")
    assert (await account_of(core))["state"] == "authorized"


async def test_a_refused_login_is_reported(core: Core) -> None:
    asked = await asker(core).handle("accounts/login", {"account": "github"})
    await agree(asked["url"], "deny")
    assert "access_denied" in (await wait_for_event(core, "authorization_failed"))["reason"]


@pytest.mark.parametrize("method", ["accounts/login", "accounts/logout"])
@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_only_an_admin_changes_accounts(core: Core, method: str, role: Role) -> None:
    with pytest.raises(ProtocolError) as refusal:
        await asker(core, role).handle(method, {"account": "github"})
    assert refusal.value.code == FORBIDDEN


@pytest.mark.parametrize("method", ["accounts/login", "accounts/logout"])
async def test_an_account_that_no_tool_needs_is_refused(core: Core, method: str) -> None:
    with pytest.raises(ProtocolError, match="No served tool needs the account 'slack'") as refusal:
        await asker(core).handle(method, {"account": "slack"})
    assert refusal.value.code == REFUSED


@pytest.mark.parametrize("account", [None, 7, ["github"]])
async def test_an_invalid_name_is_refused(core: Core, account: Any) -> None:
    with pytest.raises(ProtocolError, match='"account" must be a string'):
        await asker(core).handle("accounts/login", {"account": account})


async def test_without_a_client_the_error_explains_how_to_register(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WORKBENCH_AUTH", "GITHUB_TOKEN", "GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "tools.py").write_text(TOOLS)
    core = Core(project=tmp_path, link=False)
    await core.start()
    try:
        await within(core.wait_loaded())
        assert "GITHUB_CLIENT_ID" in (await account_of(core))["problem"]
        for params in ({"account": "github"}, {"account": "github", "device": True}):
            with pytest.raises(ProtocolError, match="with the redirect URI") as refusal:
                await asker(core).handle("accounts/login", params)
            assert refusal.value.code == REFUSED
    finally:
        await within(core.stop())


async def test_a_project_without_accounts_and_a_relay_have_none(tmp_path: Path) -> None:
    from tests.small_project import small_project

    for core in (
        Core(project=small_project(tmp_path / "small"), link=False),
        Core(upstream=["false"], link=False, capture=False),
    ):
        await core.start()
        try:
            await within(core.wait_loaded())
            assert await asker(core).handle("accounts/list", {}) == {"accounts": []}
        finally:
            await within(core.stop())
