"""A client with a session, which keeps what it is sent."""

from typing import Any

from server_core.settings import Settings
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Records, Toolkit, call, initialize, new_server
from tests.waiting import until


class Client:
    """A session with an outlet that keeps what it sends, and the records of both."""

    def __init__(self, *, loaded: bool = True, settings: Settings | None = None) -> None:
        self.toolkit = Toolkit()
        self.server = new_server(self.toolkit, loaded=loaded, settings=settings)
        self.records = Records(self.server.tap)
        self.outlet = RecordingOutlet()
        self.session = self.server.open_session(self.outlet, "memory")

    def ready(self, revision: str = "2025-11-25", **capabilities: Any) -> "Client":
        self.session.receive(initialize(revision, **capabilities))
        self.session.receive(INITIALIZED)
        self.outlet.sent.clear()
        self.outlet.related.clear()
        self.outlet.answers.clear()
        return self

    def send(self, data: bytes) -> None:
        self.session.receive(data)

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        self.send(call("asked", method, **params))
        await until(self.answer)
        answer = self.answer()
        assert answer is not None
        return answer

    def answer(self, request_id: Any = "asked") -> dict[str, Any] | None:
        return next(
            (message for message in self.outlet.sent if message.get("id") == request_id and "method" not in message),
            None,
        )
