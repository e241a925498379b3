"""What is told of a tool before it is called."""

from typing import Any

import pytest

from workbench.model.tool_facts import lacks, manner

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
    assert list(lacks(TOOL, SECRETS, ACCOUNTS, ["region"])) == [
        "needs PIN: set it in Secrets (key 4)",
        "uses the account slack, needs consent: see Secrets (key 4)",
        "needs team in _meta: f9",
    ]


def test_met_requirements_are_not_listed_as_missing() -> None:
    secrets = [{"key": key, "is_set": True} for key in ("CITY", "PIN")]
    accounts = [{"account": "slack", "state": "authorized"}]
    assert list(lacks(TOOL, secrets, accounts, ["TEAM", "region"])) == []


def test_how_a_tool_is_run_and_shown_is_described_on_a_single_line() -> None:
    assert manner(TOOL) == (
        "timeout 1.5 s · up to 2 retries · runs as a task only · uses slack"
        " · needs team, Region in _meta · shown by ui://post"
    )


@pytest.mark.parametrize(
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
    assert list(lacks(definition, SECRETS, ACCOUNTS, [])) == []
    assert manner(definition) == ""
