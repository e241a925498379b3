"""URLs that a user has to visit first: required by a tool, and a notification when the user has finished there."""

from collections.abc import Callable
from typing import Any

import pytest

from server_core import Context, MCPApp, UrlElicitation, UrlElicitationRequired
from server_core.execution.run import MAX_VISITS
from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION
from server_core.protocol.revisions import REVISION_2025_06_18
from server_core.records.tap import Tap
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.ports import Call, FakePort
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, call, generation, initialize, secret_values
from tests.waiting import until

pytestmark = pytest.mark.promises("context")

SHOWS_ADDRESSES = {"elicitation": {"url": {}, "form": {}}}
SIGN_IN = UrlElicitation("Sign in to the bank.", "https://bank.example/in", "visit-1")
STATELESS = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: SHOWS_ADDRESSES}


class Bank:
    """A server whose offers need a person to have signed in, and a client of it."""

    def __init__(self) -> None:
        self.signed_in = False
        self.runs = 0
        app = MCPApp("bank", toolkit="")

        def require() -> str:
            self.runs += 1
            if not self.signed_in:
                raise UrlElicitationRequired([SIGN_IN])
            return "rich"

        @app.tool
        async def balance() -> str:
            """Return how much there is."""
            return require()

        @app.resource("bank://balance")
        def balance_sheet() -> str:
            """The same to read, on a thread."""
            return require()

        self.server = Server(Tap(), Settings(state_key="k" * 32), secret_values, app.identity)
        catalog, problems = app.build()
        assert not problems
        self.server.swap(generation(catalog, app))
        self.outlet = RecordingOutlet()
        self.session = self.server.open_session(self.outlet, "memory")

    def shake_hands(self, revision: str, **capabilities: Any) -> None:
        self.session.receive(initialize(revision, **capabilities))
        self.session.receive(INITIALIZED)
        self.outlet.sent.clear()

    async def ask(self, request_id: int, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its answer."""
        self.session.receive(call(request_id, method, **params))
        await until(lambda: any(message.get("id") == request_id for message in self.outlet.sent))
        return next(message for message in self.outlet.sent if message.get("id") == request_id)


@pytest.mark.parametrize(
    ("method", "params"), [("tools/call", {"name": "balance"}), ("resources/read", {"uri": "bank://balance"})]
)
async def test_a_visit_is_required_by_an_error_and_the_request_sent_again(method: str, params: dict[str, Any]) -> None:
    bank = Bank()
    bank.shake_hands("2025-11-25", **SHOWS_ADDRESSES)
    error = (await bank.ask(1, method, **params))["error"]
    assert error["code"] == -32042
    assert error["data"] == {
        "elicitations": [
            {
                "mode": "url",
                "message": "Sign in to the bank.",
                "url": "https://bank.example/in",
                "elicitationId": "visit-1",
            }
        ]
    }
    bank.signed_in = True
    assert "result" in await bank.ask(2, method, **params)


@pytest.mark.parametrize(
    ("revision", "capabilities"),
    [
        ("2025-06-18", SHOWS_ADDRESSES),
        ("2025-03-26", {}),
        ("2025-11-25", {}),
        ("2025-11-25", {"elicitation": {}}),
        ("2025-11-25", {"elicitation": {"form": {}}}),
    ],
)
async def test_a_client_without_url_elicitation_gets_the_urls_from_the_tool(
    revision: str, capabilities: dict[str, Any]
) -> None:
    bank = Bank()
    bank.shake_hands(revision, **capabilities)
    result = (await bank.ask(1, "tools/call", name="balance"))["result"]
    assert result["isError"]
    assert "Sign in to the bank. https://bank.example/in" in result["content"][0]["text"]
    error = (await bank.ask(2, "resources/read", uri="bank://balance"))["error"]
    assert error["code"] == -32603
    assert "https://bank.example/in" in error["message"]


@pytest.mark.parametrize(
    ("method", "params"), [("tools/call", {"name": "balance"}), ("resources/read", {"uri": "bank://balance"})]
)
async def test_without_a_session_the_visit_is_a_round_after_which_the_tool_runs_again(
    method: str, params: dict[str, Any]
) -> None:
    bank = Bank()
    params = {**params, "_meta": STATELESS}
    asked = (await bank.ask(1, method, **params))["result"]
    assert asked["resultType"] == "input_required"
    ((key, question),) = asked["inputRequests"].items()
    assert question == {
        "method": "elicitation/create",
        "params": {"mode": "url", "message": "Sign in to the bank.", "url": "https://bank.example/in"},
    }
    bank.signed_in = True
    answers = {"inputResponses": {key: {"action": "accept"}}, "requestState": asked["requestState"]}
    done = (await bank.ask(2, method, **params, **answers))["result"]
    assert done["resultType"] == "complete"
    assert bank.runs == 2


async def test_an_unsuccessful_visit_is_requested_again() -> None:
    bank = Bank()
    asked = (await bank.ask(1, "tools/call", name="balance", _meta=STATELESS))["result"]
    answers = {key: {"action": "accept"} for key in asked["inputRequests"]}
    again = (
        await bank.ask(
            2,
            "tools/call",
            name="balance",
            _meta=STATELESS,
            inputResponses=answers,
            requestState=asked["requestState"],
        )
    )["result"]
    assert again["resultType"] == "input_required"
    assert not answers.keys() & again["inputRequests"].keys()


async def test_a_person_who_does_not_agree_ends_the_call() -> None:
    bank = Bank()
    asked = (await bank.ask(1, "tools/call", name="balance", _meta=STATELESS))["result"]
    answers = {key: {"action": "decline"} for key in asked["inputRequests"]}
    state = asked["requestState"]
    result = (
        await bank.ask(2, "tools/call", name="balance", _meta=STATELESS, inputResponses=answers, requestState=state)
    )["result"]
    assert result["isError"]
    assert "did not agree" in result["content"][0]["text"]
    assert bank.runs == 1


async def test_without_a_session_a_client_without_url_elicitation_gets_the_urls() -> None:
    bank = Bank()
    meta = {**STATELESS, CLIENT_CAPABILITIES: {"elicitation": {}}}
    result = (await bank.ask(1, "tools/call", name="balance", _meta=meta))["result"]
    assert result["isError"]
    assert "https://bank.example/in" in result["content"][0]["text"]


def test_at_least_one_web_url_is_required() -> None:
    with pytest.raises(ValueError, match="at least one"):
        UrlElicitationRequired([])
    with pytest.raises(ValueError, match="'file:///etc/passwd' is not an http or https URL"):
        UrlElicitation("Look", "file:///etc/passwd")
    assert UrlElicitation("a", "https://a.example").id != UrlElicitation("a", "https://a.example").id


# The notification that the user has finished.


def nothing() -> None: ...


@pytest.mark.parametrize("visit", [lambda result: result, lambda result: result.elicitation_id])
async def test_the_end_of_a_visit_is_sent_with_its_id(visit: Callable[[Any], Any]) -> None:
    called = Call(nothing, port=FakePort(SHOWS_ADDRESSES, {"action": "accept"}))
    ui = called.context.ui
    await ui.complete(visit(await ui.elicit("Sign in", mode="url", url="https://bank.example/in")))
    (asked,) = called.port.asked
    assert called.port.notifications == [
        ("notifications/elicitation/complete", {"elicitationId": asked[1]["elicitationId"]}),
    ]


async def test_the_end_of_a_visit_is_sent_when_the_call_is_over() -> None:
    contexts: list[Context] = []

    async def work(context: Context) -> None:
        contexts.append(context)
        raise UrlElicitationRequired([SIGN_IN])

    called = Call(work, port=FakePort(SHOWS_ADDRESSES))
    with pytest.raises(UrlElicitationRequired):
        await called.run()
    await contexts[0].ui.complete(SIGN_IN)
    assert called.port.notifications == [("notifications/elicitation/complete", {"elicitationId": "visit-1"})]


async def test_in_a_revision_without_elicitation_ids_nothing_is_sent() -> None:
    called = Call(nothing, port=FakePort(SHOWS_ADDRESSES, revision=REVISION_2025_06_18))
    await called.context.ui.complete("visit-1")
    assert called.port.notifications == []


async def test_a_form_has_no_visit_to_complete() -> None:
    called = Call(nothing, port=FakePort(SHOWS_ADDRESSES, {"action": "cancel"}))
    await called.context.ui.complete(await called.context.ui.elicit("Name?"))
    assert called.port.notifications == []


async def test_a_tool_that_always_requires_the_same_visit_is_abandoned() -> None:
    bank = Bank()
    params: dict[str, Any] = {"name": "balance", "_meta": STATELESS}
    result = (await bank.ask(1, "tools/call", **params))["result"]
    rounds = 0
    while result["resultType"] == "input_required":
        rounds += 1
        answers = {key: {"action": "accept"} for key in result["inputRequests"]}
        state = result["requestState"]
        result = (await bank.ask(1 + rounds, "tools/call", **params, inputResponses=answers, requestState=state))[
            "result"
        ]
    assert rounds == MAX_VISITS
    assert result["isError"]
    assert "agreed 5 times without effect" in result["content"][0]["text"]
