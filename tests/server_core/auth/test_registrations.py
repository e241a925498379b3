"""The client of a project: the names of its secrets, and the services in its pyproject.toml."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from server_core.auth import GitHub, Microsoft, MicrosoftPowerBI, OAuth2
from server_core.auth.broker.registrations import ProjectRegistrations, Registration, SecretNames
from server_core.auth.required_accounts import requirement_of
from server_core.auth.requirement import AuthRequirement
from server_core.errors import ConfigurationError
from tests.tables import each_row

pytestmark = pytest.mark.promises("tool authorization")


async def registration_of(
    folder: Path, requirement: AuthRequirement, pyproject: str = "", secrets: dict[str, str] | None = None
) -> Registration:
    (folder / "pyproject.toml").write_text(pyproject)

    async def values(keys: Iterable[str]) -> dict[str, str]:
        return {key: value for key in keys if (value := (secrets or {}).get(key))}

    return await ProjectRegistrations(folder, values, 8975).find(requirement)


@each_row(
    ("account", "prefix"),
    [("github", "GITHUB"), ("github.work", "GITHUB_WORK"), ("microsoft-powerbi", "MICROSOFT_POWERBI"), ("x", "X")],
)
def test_the_names_of_the_secrets_follow_from_the_account(account: str, prefix: str) -> None:
    names = SecretNames.of(account)
    assert (names.client_id, names.client_secret, names.token) == (
        f"{prefix}_CLIENT_ID",
        f"{prefix}_CLIENT_SECRET",
        f"{prefix}_TOKEN",
    )


@each_row("requirement", [GitHub(), GitHub(id="work"), OAuth2(id="acme"), MicrosoftPowerBI()])
def test_an_account_is_identified_by_its_name(requirement: AuthRequirement) -> None:
    again = requirement_of(requirement.account)
    assert (again.provider_id, again.id) == (requirement.provider_id, requirement.id)


async def test_secrets_are_those_of_the_account_alone(tmp_path: Path) -> None:
    secrets = {"GITHUB_CLIENT_ID": "a", "GITHUB_CLIENT_SECRET": "shh", "GITHUB_WORK_CLIENT_ID": "c"}
    plain = await registration_of(tmp_path, GitHub(), secrets=secrets)
    assert (plain.client_id, plain.client_secret, plain.token) == ("a", "shh", "")
    work = await registration_of(tmp_path, GitHub(id="work"), secrets=secrets)
    assert (work.client_id, work.client_secret) == ("c", "")
    assert "shh" not in repr(plain)


async def test_each_account_has_its_own_redirect_uri(tmp_path: Path) -> None:
    assert (await registration_of(tmp_path, GitHub())).redirect_uri == "http://127.0.0.1:8975/callback/github"
    assert (
        await registration_of(tmp_path, GitHub(id="work"))
    ).redirect_uri == "http://127.0.0.1:8975/callback/github.work"
    assert (await registration_of(tmp_path, Microsoft())).redirect_uri == "http://localhost:8975/callback/microsoft"


async def test_a_project_describes_a_service_of_its_own(tmp_path: Path) -> None:
    config = """
        [tool.workbench.auth.acme]
        name = "Acme CRM"
        authorize_url = "https://acme.test/authorize"
        token_url = "https://acme.test/token"
        scope_separator = ","
        client_in = "header"
        pkce = false
        refresh_scopes = ["offline"]
        parameters = { tenant = "7" }
        redirect_uri = "http://localhost:4000/back"
    """
    registration = await registration_of(tmp_path, OAuth2(id="acme"), config)
    assert registration.redirect_uri == "http://localhost:4000/back"
    assert (registration.provider.name, registration.provider.client_in, registration.provider.pkce) == (
        "Acme CRM",
        "header",
        False,
    )
    assert registration.provider.refresh_scopes == ("offline",)
    assert registration.provider.parameters == {"tenant": "7"}


async def test_a_project_overrides_the_table(tmp_path: Path) -> None:
    config = '[tool.workbench.auth.microsoft]\nauthorize_url = "https://login.test/contoso/authorize"\n'
    registration = await registration_of(tmp_path, Microsoft(), config)
    assert registration.provider.authorize_url == "https://login.test/contoso/authorize"
    assert registration.provider.token_url.endswith("/token")


async def test_an_invalid_description_is_reported_with_its_place(tmp_path: Path) -> None:
    for config, message in (
        ("", "'acme' has no configured endpoints: set authorize_url and token_url"),
        ('[tool.workbench.auth.acme]\nauthorize_url = "https://a.test"', "set token_url under"),
        ("[tool.workbench.auth]\nacme = 7", "must be a table"),
        ("[tool.workbench.auth.acme]\nauthorise_url = 'x'", "unknown field 'authorise_url'"),
        ("[tool.workbench.auth.acme]\npkce = 'yes'", "invalid value"),
        ("[tool.workbench.auth.acme]\nparameters = { a = 1 }", "invalid value"),
        ("[tool.workbench.auth.acme]\nclient_in = 'body'", "must be one of form, header"),
        ("[tool.workbench.auth.acme]\ntoken_url = 'http://acme.test/token'", "not secure"),
        ("[tool.workbench.auth.acme]\ntoken_url = 'https://me:secret@acme.test/token'", "name or password"),
        ("[tool.workbench.auth.acme]\ntoken_url = 'https://169.254.169.254/token'", "refused"),
        ("[tool.workbench.auth.acme]\ntoken_url = 'file:///etc/passwd'", "not an http or https URL"),
        ("[tool.workbench.auth.acme]\nredirect_uri = 7", "must be a string"),
        ("[tool.workbench", "cannot be read"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            await registration_of(tmp_path, OAuth2(id="acme"), config)
