"""A tool calls others, each with its own secrets; what they ask reaches the user."""

import hashlib

import pytest

from tests.examples.tool_chaining import app
from workbench.testing import Client

pytestmark = pytest.mark.promises("context", "secrets")

SECRETS = {"PASSWORD": "open sesame", "API_KEY": "key of the api"}


def hashed(text: str) -> str:
    """The hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


async def test_a_tool_calls_another_that_may_read_the_secret(revision: str) -> None:
    async with Client(app, revision=revision, secrets=SECRETS) as client:
        client.answers.elicit({"confirmation": True}, message="password")
        texts = [
            (await client.call("ToolChainer_GetSecretAsHashValue", secret_name=name)).text
            for name in ("password", "API_KEY", "PIN")
        ]
    assert texts == [hashed("open sesame"), hashed("key of the api"), "There is no tool for 'PIN'."]


async def test_a_failure_of_the_inner_call_is_reported_without_its_details(revision: str) -> None:
    async with Client(app, revision=revision, secrets=SECRETS) as client:
        client.answers.decline()
        text = (await client.call("ToolChainer_GetSecretAsHashValue", secret_name="PASSWORD")).text
    assert text.startswith("It failed: [TOOL_RUNTIME_FATAL]")
    assert "does not agree" not in text


async def test_a_secret_that_is_not_set_is_reported(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        text = (await client.call("ToolChainer_GetSecretAsHashValue", secret_name="API_KEY")).text
    assert "API_KEY" in text


@pytest.mark.parametrize(
    ("tool", "text"),
    [("GetPasswordAsHashValue", "open sesame"), ("GetApiKeyAsHashValue", "key of the api")],
)
async def test_the_tools_with_secrets_are_called_by_themselves(tool: str, text: str, revision: str) -> None:
    async with Client(app, revision=revision, secrets=SECRETS) as client:
        client.answers.elicit({"confirmation": True}, always=True)
        assert (await client.call(f"ToolChainer_{tool}")).text == hashed(text)
        assert (await client.call("ToolChainer_HashText", text=text)).text == hashed(text)
