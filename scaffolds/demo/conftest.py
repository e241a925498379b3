"""What the tests share; its place puts this folder on the path, so that they can import `tools` and `server`."""

from types import SimpleNamespace
from typing import Any

import pytest


class FakeContext:
    """Stands for the context of a running tool: answers what it asks, keeps what it tells.

    Args:
        answer: what the person answers.
        reply: what the model answers.
        secrets: the secrets that are set.
    """

    def __init__(self, answer: Any = None, reply: str = "", secrets: dict[str, str] | None = None) -> None:
        self.reported: list[tuple[float, float | None]] = []
        self._answer, self._reply, self._secrets = answer, reply, secrets or {}
        self.progress = SimpleNamespace(report=self._report)
        self.ui = SimpleNamespace(elicit=self._elicit)
        self.sampling = SimpleNamespace(create_message=self._create_message)

    def get_secret(self, key: str) -> str:
        return self._secrets[key]

    async def _report(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        self.reported.append((progress, total))

    async def _elicit(self, message: str, schema: Any = None) -> Any:
        return self._answer

    async def _create_message(self, messages: Any, **options: Any) -> Any:
        return SimpleNamespace(text=self._reply)


@pytest.fixture
def fake_context() -> type[FakeContext]:
    """Makes a context for a tool that is called directly."""
    return FakeContext


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
