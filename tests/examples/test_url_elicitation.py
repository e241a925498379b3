"""People are sent to a page, or given a form; a client that can show no page is told so."""

from typing import Any

import pytest

from tests.examples.conftest import SESSIONS, STATELESS
from tests.examples.url_elicitation import PORTAL, app
from workbench.testing import Client, RequestFailed, ToolFailed

pytestmark = pytest.mark.promises("context")


async def test_people_are_sent_to_a_page_of_their_own(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.elicit()
        client.answers.decline()
        client.answers.cancel()
        said = [(await client.call("UrlElicitation_VerifyIdentity", user="Ada")).text for _ in range(3)]
        urls = [one.url for one in client.answers.asked]
    assert said == ["Ada has been to the portal.", "Ada would rather not.", "Ada has left without an answer."]
    assert len(set(urls)) == 3
    assert all(url.startswith(f"{PORTAL}/") for url in urls)


async def test_people_sign_in_a_form(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.elicit({"signature": "Ada"})
        client.answers.decline()
        assert (await client.call("UrlElicitation_UploadSignature")).text == "Signed: Ada"
        assert (await client.call("UrlElicitation_UploadSignature")).text == "It is not signed."


async def test_a_client_without_pages_is_told_so() -> None:
    no_pages: dict[str, Any] = {"elicitation": {"form": {}}}
    async with Client(app, revision=SESSIONS, capabilities=no_pages) as client:
        with pytest.raises(ToolFailed, match="Use a client that can open a page"):
            await client.call("UrlElicitation_VerifyIdentity", user="Ada")
    async with Client(app, revision=STATELESS, capabilities=no_pages) as client:
        with pytest.raises(RequestFailed) as refused:
            await client.call("UrlElicitation_VerifyIdentity", user="Ada")
    assert refused.value.data == {"requiredCapabilities": {"elicitation": {"url": {}}}}
