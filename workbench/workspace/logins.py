"""The logins at services that this terminal has started and that wait for the user."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Login:
    """One login that waits for the user."""

    account: str
    url: str  # that the user opens
    code: str  # to enter there; empty where the URL contains it
    outcome: "asyncio.Future[str]" = field(repr=False)  # why the login failed; empty once the user has agreed


class Logins:
    def __init__(self) -> None:
        self._waiting: list[Login] = []

    def begin(self, account: str, asked: Mapping[str, Any]) -> Login:
        """Register a pending login, from the core's response to `accounts/login`."""
        login = Login(account, str(asked["url"]), str(asked["code"]), asyncio.get_running_loop().create_future())
        self._waiting.append(login)
        return login

    def handle_event(self, event: Mapping[str, Any]) -> None:
        """Handle an event of the core: "authorized" or "authorization_failed"."""
        ended = [login for login in self._waiting if login.account == event.get("account")]
        for login in ended:
            self._waiting.remove(login)
            if not login.outcome.done():
                login.outcome.set_result(str(event.get("reason") or ""))
