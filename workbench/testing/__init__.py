"""Test tools from the client's side, with pytest or without: served in this process, called over an MCP session.

`from workbench.testing import Client`. With pytest, installing the package is enough: its plugin has fixtures.

* :mod:`~workbench.testing.client` - the entry point; `with` and `async with` return a client
* :mod:`~workbench.testing.sync_client` - that client for plain tests
* :mod:`~workbench.testing.async_client` - that client for async tests
* :mod:`~workbench.testing.results` - its results
* :mod:`~workbench.testing.answers` - prepared answers of the user and the model to requests of tools
* :mod:`~workbench.testing.asked_question` - a question of a tool to the user or the model
* :mod:`~workbench.testing.recorded` - the recorded traffic, and assertions about it
* :mod:`~workbench.testing.assertion_errors` - the exceptions that fail a test
* :mod:`~workbench.testing.plugin` - the fixtures

Each name is imported on first use: every run of pytest imports this package.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.testing.answers import Answers
    from workbench.testing.asked_question import Asked
    from workbench.testing.assertion_errors import (
        AnswersLeft,
        ProblemsFound,
        RequestFailed,
        TookTooLong,
        ToolFailed,
        Unanswered,
        Unmet,
    )
    from workbench.testing.async_client import AsyncClient
    from workbench.testing.client import Client
    from workbench.testing.recorded import LogMessage
    from workbench.testing.results import PromptResult, ResourceResult, ToolResult
    from workbench.testing.server_under_test import REVISIONS, assert_no_problems
    from workbench.testing.sync_client import SyncClient

__all__ = [
    "REVISIONS",
    "Answers",
    "AnswersLeft",
    "Asked",
    "AsyncClient",
    "Client",
    "LogMessage",
    "ProblemsFound",
    "PromptResult",
    "RequestFailed",
    "ResourceResult",
    "SyncClient",
    "TookTooLong",
    "ToolFailed",
    "ToolResult",
    "Unanswered",
    "Unmet",
    "assert_no_problems",
]

_HOMES = {
    "REVISIONS": "server_under_test",
    "Answers": "answers",
    "Asked": "asked_question",
    "AsyncClient": "async_client",
    "Client": "client",
    "LogMessage": "recorded",
    "PromptResult": "results",
    "ResourceResult": "results",
    "SyncClient": "sync_client",
    "ToolResult": "results",
    "assert_no_problems": "server_under_test",
}


def __getattr__(name: str) -> Any:
    # Imported here: a run of pytest that uses none of these names imports nothing of `server_core`.
    from server_core.lazy_names import lazy_names

    find, _ = lazy_names(globals(), "assertion_errors", homes=_HOMES)
    return find(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
