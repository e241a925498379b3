"""The common part of the plain and the async client: prepared answers, and recorded traffic."""

from typing import Any

from server_core.records.tap import Record
from workbench.client.tool_call import CallProgress
from workbench.testing.answers import Answers
from workbench.testing.conversation import Conversation
from workbench.testing.recorded import LogMessage


class BaseClient:
    """The properties and methods of a client that do not wait."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    @property
    def answers(self) -> Answers:
        """The answers of the user and the model; prepare them before the call."""
        return self._conversation.answers

    @property
    def server_info(self) -> dict[str, Any]:
        """The server's name, version and so on."""
        return self._conversation.session.server_info

    @property
    def capabilities(self) -> dict[str, Any]:
        """The server's capabilities."""
        return self._conversation.session.capabilities

    @property
    def instructions(self) -> str:
        """The server's instructions for use."""
        return self._conversation.session.instructions

    @property
    def revision(self) -> str:
        """The negotiated revision of the protocol."""
        return self._conversation.session.revision.date

    @property
    def records(self) -> list[Record]:
        """All records so far, oldest first, with secrets masked."""
        return self._conversation.recorded.records

    @property
    def notifications(self) -> list[dict[str, Any]]:
        """The notifications of the server so far, oldest first."""
        return self._conversation.recorded.notifications

    @property
    def logs(self) -> list[LogMessage]:
        """The log messages of the tools so far, oldest first."""
        return self._conversation.recorded.logs

    @property
    def progress(self) -> list[CallProgress]:
        """The progress reports of the tools so far, oldest first."""
        return self._conversation.recorded.progress

    def assert_logged(self, text: str, *, level: str | None = None) -> LogMessage:
        """Return the first log message that contains the text, and fail the test if there is none.

        Args:
            text: a part of the message.
            level: the level that it must have; any if not given.
        """
        __tracebackhide__ = True
        return self._conversation.recorded.assert_logged(text, level=level)

    def story(self) -> str:
        """Return the last messages, one per line, as readable text."""
        return self._conversation.recorded.story()
