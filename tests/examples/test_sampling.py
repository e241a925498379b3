"""The client's model does a part of a tool's work."""

import pytest

from tests.examples.conftest import SESSIONS
from tests.examples.sampling import app
from workbench.testing import Client, ToolFailed, Unmet

pytestmark = pytest.mark.promises("context")


async def test_the_model_is_asked(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.sample("It is short.")
        assert (await client.call("Sampling_SummarizeText", text="A long story.")).text == "It is short."
        (asked,) = client.answers.asked
    assert asked.message == "A long story."
    assert asked.system_prompt.startswith("Summarize")
    assert asked.params["maxTokens"] == 200


async def test_a_user_may_refuse_sampling(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        client.answers.refuse_sample()
        with pytest.raises(ToolFailed if revision == SESSIONS else Unmet, match=r"refused|rejected"):
            await client.call("Sampling_SummarizeText", text="A long story.")
