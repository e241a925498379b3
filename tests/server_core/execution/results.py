"""The parts of a result that tests compare."""

import re
from typing import Any

from tests.server_core.ports import text_of


def agent_text(result: dict[str, Any]) -> str:
    """Return the text of a failure for the agent, without the name of the tool."""
    text = text_of(result)
    assert re.match(rf"\[{kind_of(result)}\] \w+ during execution of tool '\w+': ", text)
    return text.partition(": ")[2]


def kind_of(result: dict[str, Any]) -> str:
    assert result["isError"] is True
    assert "structuredContent" not in result
    return str(result["_meta"]["arcade"]["errorKind"])


def raiser(error: BaseException, *, is_async: bool) -> Any:
    async def awaited() -> None:
        raise error

    def plain() -> None:
        raise error

    return awaited if is_async else plain
