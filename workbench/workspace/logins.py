"""The logins at services that this terminal has begun, and what the core tells of them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Login:
    """One login that waits for a person.

    Attributes:
        account: at which service.
        url: where the person goes.
        code: what they type in there; empty where the address says it all.
        outcome: why it came to nothing; empty once the person has agreed.
    """

    account: str
    url: str
    code: str
    outcome: "asyncio.Future[str]" = field(repr=False)


class Logins:
    """The logins that wait."""

    def __init__(self) -> None:
        self._waiting: list[Login] = []

    def begin(self, account: str, asked: Mapping[str, Any]) -> Login:
        """Wait for a person.

        Args:
            account: at which service.
            asked: the answer of the core to `accounts/login`.
        """
        login = Login(account, str(asked["url"]), str(asked["code"]), asyncio.get_running_loop().create_future())
        self._waiting.append(login)
        return login

    def note(self, event: Mapping[str, Any]) -> None:
        """Take note of an event of the core: "authorized" or "authorization_failed"."""
        ended = [login for login in self._waiting if login.account == event.get("account")]
        for login in ended:
            self._waiting.remove(login)
            if not login.outcome.done():
                login.outcome.set_result(str(event.get("reason") or ""))
