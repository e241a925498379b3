"""What every client in a test has, however it is waited for: answers to prepare, and records to look at."""

from typing import Any

from server_core.records.tap import Record
from workbench.client.call import Progress
from workbench.testing.answers import Answers
from workbench.testing.conversation import Conversation
from workbench.testing.recorded import LogMessage


class Observing:
    """The parts of a client that nothing has to be waited for.

    Args:
        conversation: with the server.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    @property
    def answers(self) -> Answers:
        """What the person and the model say; prepare it before the call."""
        return self._conversation.answers

    @property
    def server_info(self) -> dict[str, Any]:
        """Who the server says it is."""
        return self._conversation.session.server_info

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the server says it can."""
        return self._conversation.session.capabilities

    @property
    def instructions(self) -> str:
        """How the server wants to be used."""
        return self._conversation.session.instructions

    @property
    def revision(self) -> str:
        """The revision of the protocol that is spoken."""
        return self._conversation.session.revision.date

    @property
    def records(self) -> list[Record]:
        """Everything that crossed the wire or happened so far, oldest first, with secrets masked."""
        return self._conversation.recorded.records

    @property
    def notifications(self) -> list[dict[str, Any]]:
        """What the server told so far, oldest first."""
        return self._conversation.recorded.notifications

    @property
    def logs(self) -> list[LogMessage]:
        """What the tools logged so far, oldest first."""
        return self._conversation.recorded.logs

    @property
    def progress(self) -> list[Progress]:
        """What the tools reported so far, oldest first."""
        return self._conversation.recorded.progress

    def assert_logged(self, text: str, *, level: str | None = None) -> LogMessage:
        """Return the first log message that holds the text, and fail the test when there is none."""
        __tracebackhide__ = True
        return self._conversation.recorded.assert_logged(text, level=level)

    def story(self) -> str:
        """Return the last messages, each on a line, for people."""
        return self._conversation.recorded.story()
