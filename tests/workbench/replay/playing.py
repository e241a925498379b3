"""A replay with scripted servers."""

from typing import Any

from server_core.transports.channel import Channel
from tests.waiting import within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.replay.conversation import Conversation
from workbench.client.target import Era
from workbench.replay.player import play
from workbench.replay.report import ReplayOutcome, ReplayReport


async def replayed(
    conversation: Conversation, *servers: ScriptedServer, timeout: float = 5.0, era: Era = Era.AUTO
) -> ReplayReport:
    waiting = list(servers)

    async def connect() -> Channel:
        return waiting.pop(0)

    return await within(play(conversation.recording(), connect, "scripted", timeout, era))


def greeting(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def outcome_of(report: ReplayReport, method: str) -> ReplayOutcome:
    (outcome,) = [outcome for outcome in report.outcomes if outcome.method == method]
    return outcome


def elicitation() -> Conversation:
    talk = Conversation()
    talk.handshake()
    talk.client_asks(1, "tools/call", name="dessert")
    talk.server_asks(7, "elicitation/create", message="Which?", requestedSchema={})
    talk.client_answers(7, action="accept", content={"dessert": "fruit"})
    talk.server_answers(1, **greeting("fruit"))
    return talk
