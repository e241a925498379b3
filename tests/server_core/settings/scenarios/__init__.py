"""One scenario for each setting: what it visibly changes."""

from tests.server_core.settings.scenarios import (  # noqa: F401
    accounts,
    captures,
    http,
    identity,
    messages,
    middleware,
    notifications,
    resource_server,
    shutdown,
    stateless_calls_and_tasks,
    tools,
)
from tests.server_core.settings.scenarios.scene import SCENARIOS

__all__ = ["SCENARIOS"]
