"""One end of a connection knows what may come now, and what is in flight."""

import json
from typing import Any

import pytest

from server_core.protocol.codes import INVALID_REQUEST, METHOD_NOT_FOUND
from server_core.protocol.jsonrpc import parse
from server_core.protocol.methods import Side
from server_core.protocol.peer import (
    AnswerReceived,
    CancelReceived,
    Event,
    NotificationReceived,
    Peer,
    Phase,
    Rejected,
    RequestReceived,
)


def receive(peer: Peer, **message: Any) -> Event:
    return peer.receive(parse(json.dumps({"jsonrpc": "2.0", **message}).encode()))


def refusal(event: Event) -> dict[str, Any]:
    assert isinstance(event, Rejected)
    assert event.reply is not None
    error: dict[str, Any] = json.loads(event.reply)["error"]
    return error


@pytest.fixture
def server() -> Peer:
    peer = Peer(Side.SERVER)
    assert isinstance(receive(peer, id=0, method="initialize", params={}), RequestReceived)
    assert peer.respond(0, {}) is not None
    return peer


def test_before_initialize_only_ping_is_served() -> None:
    peer = Peer(Side.SERVER)
    assert isinstance(receive(peer, id=1, method="ping"), RequestReceived)
    assert refusal(receive(peer, id=2, method="tools/list"))["code"] == INVALID_REQUEST


def test_initialize_is_accepted_once(server: Peer) -> None:
    assert refusal(receive(server, id=1, method="initialize"))["code"] == INVALID_REQUEST


def test_a_call_sent_directly_after_initialize_is_served() -> None:
    peer = Peer(Side.SERVER)
    receive(peer, id=1, method="initialize")
    assert isinstance(receive(peer, id=2, method="tools/call"), RequestReceived)


def test_an_unknown_method_is_refused_by_name_even_before_initialize() -> None:
    error = refusal(receive(Peer(Side.SERVER), id=1, method="server/discover"))
    assert error["code"] == METHOD_NOT_FOUND
    assert "server/discover" in error["message"]


def test_each_side_answers_its_own_methods_only(server: Peer) -> None:
    assert refusal(receive(server, id=1, method="roots/list"))["code"] == METHOD_NOT_FOUND
    assert refusal(receive(Peer(Side.CLIENT), id=1, method="tools/call"))["code"] == METHOD_NOT_FOUND


def test_an_id_in_use_is_refused_and_free_again_after_the_answer(server: Peer) -> None:
    receive(server, id=1, method="tools/call")
    assert refusal(receive(server, id=1, method="ping"))["code"] == INVALID_REQUEST
    assert isinstance(receive(server, id="1", method="ping"), RequestReceived)
    server.respond(1, {})
    assert isinstance(receive(server, id=1, method="ping"), RequestReceived)


def test_a_cancelled_request_is_not_answered(server: Peer) -> None:
    receive(server, id=1, method="tools/call")
    event = receive(server, method="notifications/cancelled", params={"requestId": 1, "reason": "changed my mind"})
    assert event == CancelReceived(1, "changed my mind")
    assert server.respond(1, {}) is None
    assert server.fail(1, -1, "x") is None


@pytest.mark.parametrize("id", [99, None, 1.5, [1], "0"])
def test_a_cancel_of_nothing_is_ignored(server: Peer, id: object) -> None:
    assert isinstance(receive(server, method="notifications/cancelled", params={"requestId": id}), NotificationReceived)


def test_initialize_cannot_be_cancelled() -> None:
    peer = Peer(Side.SERVER)
    receive(peer, id=1, method="initialize")
    receive(peer, method="notifications/cancelled", params={"requestId": 1})
    assert peer.respond(1, {}) is not None


def test_a_response_is_matched_to_its_request() -> None:
    peer = Peer(Side.CLIENT)
    id, _ = peer.request("tools/list")
    event = receive(peer, id=id, result={"tools": []})
    assert isinstance(event, AnswerReceived)
    assert (event.id, event.method) == (id, "tools/list")


@pytest.mark.parametrize("id", [99, "1"])
def test_an_unexpected_response_is_reported_and_not_answered(id: object) -> None:
    peer = Peer(Side.CLIENT)
    peer.request("tools/list")
    event = receive(peer, id=id, result={})
    assert isinstance(event, Rejected)
    assert event.reply is None
    assert repr(id) in event.reason


def test_a_client_does_not_answer_noise() -> None:
    event = Peer(Side.CLIENT).receive(parse(b"Server listening on port 3000"))
    assert isinstance(event, Rejected)
    assert event.reply is None


def test_a_server_answers_noise_with_an_error_without_an_id(server: Peer) -> None:
    event = server.receive(parse(b"hello"))
    assert isinstance(event, Rejected)
    assert event.reply is not None
    assert "id" not in json.loads(event.reply)


def test_params_without_a_json_form_leave_nothing_to_wait_for() -> None:
    peer = Peer(Side.CLIENT)
    with pytest.raises(ValueError, match="not JSON serializable"):
        peer.request("tools/call", {"name": object()})
    assert peer.requests_out == {}


def test_an_abandoned_request_is_cancelled_on_the_wire_once() -> None:
    peer = Peer(Side.CLIENT)
    id, _ = peer.request("tools/call", {"name": "slow"})
    cancelled = peer.abandon(id, "timed out")
    assert cancelled is not None
    assert json.loads(cancelled)["params"] == {"requestId": id, "reason": "timed out"}
    assert peer.abandon(id, "again") is None
    assert isinstance(receive(peer, id=id, result={}), Rejected)


def test_an_abandoned_initialize_sends_nothing() -> None:
    peer = Peer(Side.CLIENT)
    id, _ = peer.request("initialize")
    assert peer.abandon(id, "timed out") is None


def test_closing_returns_the_requests_that_are_lost() -> None:
    peer = Peer(Side.CLIENT)
    ids = [peer.request("ping")[0] for _ in range(3)]
    assert peer.close() == ids
    assert peer.phase is Phase.CLOSED
