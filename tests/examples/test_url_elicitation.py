"""Users are sent to a page, or given a form; a client that can show no page gets an error."""

from typing import Any

import pytest

from tests.examples.conftest import SESSIONS, STATELESS
from tests.examples.url_elicitation import PORTAL, app
from workbench.testing import Client, RequestFailed, ToolFailed

pytestmark = pytest.mark.promises("context")


async def test_each_user_is_sent_to_another_page(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.elicit()
        client.answers.decline()
        client.answers.cancel()
        texts = [(await client.call("UrlElicitation_VerifyIdentity", user="Ada")).text for _ in range(3)]
        urls = [item.url for item in client.answers.asked]
    assert texts == ["Ada has been to the portal.", "Ada would rather not.", "Ada has left without an answer."]
    assert len(set(urls)) == 3
    assert all(url.startswith(f"{PORTAL}/") for url in urls)


async def test_users_sign_in_a_form(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.elicit({"signature": "Ada"})
        client.answers.decline()
        assert (await client.call("UrlElicitation_UploadSignature")).text == "Signed: Ada"
        assert (await client.call("UrlElicitation_UploadSignature")).text == "It is not signed."


async def test_a_client_without_url_mode_gets_an_error() -> None:
    no_pages: dict[str, Any] = {"elicitation": {"form": {}}}
    async with Client(app, revision=SESSIONS, capabilities=no_pages) as client:
        with pytest.raises(ToolFailed, match="Use a client that can open a page"):
            await client.call("UrlElicitation_VerifyIdentity", user="Ada")
    async with Client(app, revision=STATELESS, capabilities=no_pages) as client:
        with pytest.raises(RequestFailed) as refused:
            await client.call("UrlElicitation_VerifyIdentity", user="Ada")
    assert refused.value.data == {"requiredCapabilities": {"elicitation": {"url": {}}}}
