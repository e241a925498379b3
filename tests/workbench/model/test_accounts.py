"""What people are told of an account."""

from typing import Any

import pytest

from workbench.model.accounts import account_status, advice, is_usable, wants

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


def test_what_a_service_calls_a_person_cannot_steer_the_terminal() -> None:
    assert account_status({**AUTHORIZED, "as": "a\x1b[31m\u202eda"}) == "authorized as a\\x1b[31m\\u202eda"


def test_what_the_tools_want_has_a_line_where_they_want_something() -> None:
    assert wants(AUTHORIZED) == "Required scopes: repo.\n"
    assert wants({**AUTHORIZED, "wanted": []}) == ""


@pytest.mark.parametrize(
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
    assert text in advice(account)
