"""The user is asked, and may accept, decline, or cancel the question."""

import pytest

from tests.examples.user_elicitation import app
from workbench.testing import Client

pytestmark = pytest.mark.promises("context")


async def test_users_accept_decline_and_cancel_the_question(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.elicit({"nickname": "Bo"})
        client.answers.decline()
        client.answers.cancel()
        texts = [(await client.call("UserElicitation_ElicitNickname")).text for _ in range(3)]
        assert client.answers.asked[0].schema["properties"] == {"nickname": {"type": "string"}}
    assert texts == ["Hello, Bo!", "Then it stays a secret.", "Another time, then."]
