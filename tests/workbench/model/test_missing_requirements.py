"""Requirements of calls: accounts, secrets, attributes of the caller."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.missing_requirements import (
    account_advice,
    account_status,
    format_attributes,
    is_usable,
    missing_requirements,
    parse_attributes,
    run_notes,
    scopes_text,
)

TOOL: dict[str, Any] = {
    "name": "post",
    "secrets": ["CITY", "PIN"],
    "account": "slack",
    "metadata_keys": ["team", "Region"],
    "timeout": 1.5,
    "retries": 2,
    "execution": {"taskSupport": "required"},
    "ui": "ui://post",
}
SECRETS = [{"key": "CITY", "is_set": True}, {"key": "PIN", "is_set": False}]
ACCOUNTS = [{"account": "slack", "state": "needs consent"}, {"account": "github", "state": "needs consent"}]


def test_missing_requirements_of_a_call_are_listed_with_their_source() -> None:
    assert list(missing_requirements(TOOL, SECRETS, ACCOUNTS, ["region"])) == [
        "needs PIN: set it in Secrets (alt+4)",
        "uses the account slack, needs consent: see Secrets (alt+4)",
        "needs team in _meta: f9",
    ]


def test_met_requirements_are_not_listed_as_missing() -> None:
    secrets = [{"key": key, "is_set": True} for key in ("CITY", "PIN")]
    accounts = [{"account": "slack", "state": "authorized"}]
    assert list(missing_requirements(TOOL, secrets, accounts, ["TEAM", "region"])) == []


def test_how_a_tool_is_run_and_shown_is_described_on_a_single_line() -> None:
    assert run_notes(TOOL) == (
        "timeout 1.5 s · up to 2 retries · runs as a task only · uses slack"
        " · needs team, Region in _meta · shown by ui://post"
    )


@each_row(
    "definition",
    [
        {},
        {
            "name": "plain",
            "secrets": [],
            "account": None,
            "metadata_keys": [],
            "timeout": None,
            "retries": 0,
            "ui": None,
        },
        {"secrets": "x", "metadata_keys": {}, "execution": []},
        {"execution": {"taskSupport": ["required"]}},
        {"execution": {"taskSupport": "forbidden"}},
    ],
)
def test_a_tool_without_special_requirements_has_no_description_of_them(definition: dict[str, Any]) -> None:
    assert list(missing_requirements(definition, SECRETS, ACCOUNTS, [])) == []
    assert run_notes(definition) == ""


AUTHORIZED: dict[str, Any] = {
    "account": "github",
    "service": "GitHub",
    "state": "authorized",
    "as": "ada",
    "wanted": ["repo"],
    "scopes": ["repo", "gist"],
    "expires_at": 1_800_014_400.0,
    "renews": True,
    "by_device": True,
    "tools": ["issues"],
}


def test_an_account_is_shown_with_its_user_and_its_expiry_unless_it_renews() -> None:
    assert account_status(AUTHORIZED) == "authorized as ada"
    assert account_status({**AUTHORIZED, "as": None}) == "authorized"
    assert account_status({**AUTHORIZED, "renews": False}).startswith("authorized as ada until 2027-01-15 ")


def test_the_name_of_a_person_at_a_service_cannot_control_the_terminal() -> None:
    assert account_status({**AUTHORIZED, "as": "a\x1b[31m\u202eda"}) == "authorized as a\\x1b[31m\\u202eda"


def test_required_scopes_have_a_line_if_there_are_any() -> None:
    assert scopes_text(AUTHORIZED) == "Required scopes: repo.\n"
    assert scopes_text({**AUTHORIZED, "wanted": []}) == ""


@each_row(
    ("account", "usable", "text"),
    [
        (AUTHORIZED, True, "Granted scopes: repo, gist. It is renewed automatically."),
        ({**AUTHORIZED, "renews": False}, True, "you are asked again when it expires"),
        ({**AUTHORIZED, "scopes": []}, True, "Granted scopes: the default."),
        ({**AUTHORIZED, "state": "static token"}, True, "unset that secret"),
        ({**AUTHORIZED, "state": "needs consent"}, False, "Press l to log in with a browser, or d on another device."),
        ({**AUTHORIZED, "state": "needs consent", "by_device": False}, False, "Press l to log in with a browser. "),
        ({**AUTHORIZED, "state": "no client", "problem": "Register one."}, False, "Register one."),
    ],
)
def test_the_advice_has_the_state_or_what_to_do(account: dict[str, Any], usable: bool, text: str) -> None:
    assert is_usable(account) is usable
    assert text in account_advice(account)


@each_row(
    ("text", "facts"),
    [
        ("", {}),
        ("team=beans", {"team": "beans"}),
        (
            'team=beans region="far north" empty= a=b=c',
            {"team": "beans", "region": "far north", "empty": "", "a": "b=c"},
        ),
    ],
)
def test_words_are_facts_and_can_be_written_again(text: str, facts: dict[str, str]) -> None:
    assert parse_attributes(text) == facts
    assert parse_attributes(format_attributes(facts)) == facts


@each_row(
    ("text", "why"),
    [
        ("beans", "'beans' has no value: write KEY=VALUE."),
        ("=beans", "write KEY=VALUE"),
        ('team="beans', "No closing quotation: write KEY=VALUE, in quotes"),
        ("io.modelcontextprotocol/x=1", "reserved by the protocol"),
        ("progressToken=1", "reserved by the protocol"),
    ],
)
def test_a_fact_without_a_value_is_refused_with_the_syntax(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_attributes(text)
