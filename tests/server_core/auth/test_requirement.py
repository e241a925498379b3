"""What tools declare that they need of a person's account, and the table of the services."""

import re
from urllib.parse import urlsplit

import pytest

import server_core.auth as auth
from server_core.auth import GitHub, MicrosoftPowerBI, OAuth2, Slack, ToolAuthorization
from server_core.auth.providers import PROVIDERS
from server_core.errors import ToolDefinitionError

pytestmark = pytest.mark.promises("tool authorization")

IDS = [
    "airtable",
    "asana",
    "atlassian",
    "attio",
    "calendly",
    "clickup",
    "discord",
    "dropbox",
    "figma",
    "github",
    "google",
    "hubspot",
    "linear",
    "linkedin",
    "microsoft",
    "microsoft-powerbi",
    "notion",
    "pagerduty",
    "reddit",
    "slack",
    "spotify",
    "twitch",
    "x",
    "zoom",
]


def test_every_known_service_has_a_class_and_a_row() -> None:
    classes = [item for item in vars(auth).values() if isinstance(item, type) and issubclass(item, OAuth2)]
    assert sorted(item().provider_id for item in classes if item is not OAuth2) == IDS
    assert sorted(PROVIDERS) == IDS


def test_a_requirement_is_described_to_orchestrators_in_their_form() -> None:
    assert GitHub(scopes=["repo"]).to_json() == {
        "provider_id": "github",
        "provider_type": "oauth2",
        "id": None,
        "oauth2": {"scopes": ["repo"]},
    }
    assert OAuth2(id="acme-crm", scopes=["read"]).to_json() == {
        "provider_id": None,
        "provider_type": "oauth2",
        "id": "acme-crm",
        "oauth2": {"scopes": ["read"]},
    }


def test_requirements_are_values() -> None:
    assert GitHub(scopes=["repo", "repo"]) == GitHub(scopes=("repo",))
    assert GitHub() != Slack()
    assert {GitHub(), GitHub()} == {GitHub()}
    assert isinstance(MicrosoftPowerBI(), ToolAuthorization)


def test_registrations_of_one_service_are_distinguished() -> None:
    assert [GitHub().account, GitHub(id="work").account, OAuth2(id="crm").account] == ["github", "github.work", "crm"]


def test_invalid_scopes_are_an_error_of_the_definition() -> None:
    for scopes in (
        "repo",
        ["a b"],
        [""],
        ["a\n"],
        [7],
        ["é"],
    ):
        with pytest.raises(ToolDefinitionError, match="scope"):
            GitHub(scopes=scopes)  # type: ignore[arg-type]


def test_an_invalid_id_is_an_error_of_the_definition() -> None:
    for id in (
        "",
        "a b",
        "-a",
        "a/../b",
        "x" * 65,
        "é",
        7,
    ):
        with pytest.raises(ToolDefinitionError, match="is not a valid provider id"):
            OAuth2(id=id)  # type: ignore[arg-type]


def test_an_unknown_service_must_be_named() -> None:
    with pytest.raises(ToolDefinitionError, match="needs an id"):
        OAuth2(scopes=["read"])


def test_every_service_of_the_table_can_be_used() -> None:
    for id in IDS:
        row = PROVIDERS[id]
        places = [getattr(row, name) for name in type(row).__slots__ if name.endswith("_url")]
        for place in filter(None, places):
            parts = urlsplit(place)
            assert parts.scheme == "https"
            assert parts.hostname
        assert row.authorize_url and row.token_url and row.register_url  # noqa: PT018  One row, one claim.
        assert row.scope_separator in (" ", ",")
        assert re.fullmatch(r"[A-Za-z0-9 ]+", row.name)
