"""What a tool logs reaches its client, at each level."""

import pytest

from tests.examples.log_messages import app
from workbench.testing import Client

pytestmark = pytest.mark.promises("context")


async def test_six_messages_are_logged(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        result = await client.call("LoggingServer_LogMessage", message="tea")
        assert [log.level for log in client.logs] == ["debug", "debug", "info", "warning", "error", "info"]
        assert [log.data for log in client.logs][2:4] == ["Good to know: tea", "Take care: tea"]
    assert result.text == "tea"
