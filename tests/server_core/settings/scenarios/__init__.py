"""One scenario for each setting: what somebody sees change with it."""

from tests.server_core.settings.scenarios import (  # noqa: F401
    accounts,
    captures,
    ending,
    http,
    identity,
    messages,
    middleware,
    notifications,
    resource_server,
    tools,
    waiting,
)
from tests.server_core.settings.scenarios.scene import SCENARIOS

__all__ = ["SCENARIOS"]
