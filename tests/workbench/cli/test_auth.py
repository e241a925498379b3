"""`workbench auth`: how the accounts of a project stand, and what agreeing and leaving come to."""

import json
from pathlib import Path

import pytest

from server_core.runtime.background import spawn
from tests.commands import run
from tests.server_core.auth import account_tools
from tests.server_core.auth.person import agree, decide
from tests.waiting import until, within
from workbench.cli import auth, console

pytestmark = pytest.mark.promises("tool authorization")
TOOLS = (
    account_tools.TOOLS
    + """
@tool(requires_auth=OAuth2(id="acme"))
def deals() -> str:
    "List the deals."
    return ""
"""
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "p"\n')
    for name in ("GITHUB_TOKEN", "GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


async def test_the_accounts_of_a_project_are_listed_with_all_that_its_tools_want(project: Path) -> None:
    code, out, err = await run("auth", "list", "--json", "--project", str(project))
    assert code == 0
    acme, github = json.loads(out)
    assert (acme["account"], acme["state"]) == ("acme", "not configured")
    assert (github["account"], github["state"], github["wanted"]) == ("github", "no client", ["repo", "gist"])
    assert github["tools"] == ["issues", "gists"]
    assert github["redirect_uri"] == "http://127.0.0.1:8975/callback/github"
    assert "set authorize_url and token_url" in err


async def test_a_static_token_is_listed_and_never_shown(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_shown_to_nobody")
    code, out, err = await run("auth", "list", "--project", str(project))
    assert code == 0
    assert "static token" in out
    assert "ghp_shown" not in out + err
    code, _, err = await run("auth", "logout", "github", "--project", str(project))
    assert code == 2
    assert "unset that secret" in err


async def test_a_missing_client_registration_is_explained(project: Path) -> None:
    code, _, err = await run("auth", "login", "github", "--project", str(project))
    assert code == 2
    for text in ("GITHUB_CLIENT_ID", "https://github.com/settings/developers", "http://127.0.0.1:8975/callback/github"):
        assert text in err


@pytest.mark.parametrize("account", ["a b", "nobody", "../x"])
async def test_an_account_that_is_none_is_refused(project: Path, account: str) -> None:
    code, _, err = await run("auth", "login", account, "--project", str(project))
    assert code == 2
    assert "Traceback" not in err


@pytest.mark.parametrize(("decision", "code"), [("allow", 0), ("deny", 1)])
async def test_a_person_agrees_or_does_not(
    project: Path, monkeypatch: pytest.MonkeyPatch, decision: str, code: int
) -> None:
    monkeypatch.setenv("WORKBENCH_AUTH", "mock")
    messages: list[str] = []
    monkeypatch.setattr(console, "write", messages.append)
    monkeypatch.setattr(console, "fail", messages.append)
    waiting = spawn(auth._login(auth._Accounts(project), "github", ["user"], False), "login")
    await until(lambda: messages)
    url = messages[0].partition("\n")[2]
    assert "scope=repo%20gist%20user" in url
    await agree(url, decision, person="ada\x1b[31m")
    assert await within(waiting) == code
    assert "\x1b" not in "".join(messages)
    if decision == "deny":
        assert "access_denied" in messages[-1]
        return
    assert "authorized as ada" in messages[-1]
    accounts = auth._Accounts(project)
    account = await accounts.broker.status(accounts.requirement("github", []), accounts.owner)
    assert account.state == "authorized"
    await accounts.broker.close()
    assert await within(auth._logout(auth._Accounts(project), "github")) == 0
    assert "the token is revoked" in messages[-1]


async def test_the_device_flow_shows_url_and_code(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_AUTH", "mock")
    messages: list[str] = []
    monkeypatch.setattr(console, "write", messages.append)
    accounts = auth._Accounts(project)
    waiting = spawn(auth._login(accounts, "github", [], True), "login")
    await until(lambda: messages)
    assert "/device on any device and enter this code: " in messages[0]
    url, code = messages[0].split(" ")[1], messages[0].rpartition(" ")[2]
    assert "Return to your device" in (await decide(f"{url}?user_code={code}")).text
    assert await within(waiting) == 0
