"""A server of an app with one client, for tests of tools that need a server."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from server_core import MCPApp
from server_core.protocol.envelope import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION
from server_core.records.tap import Tap
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Records, call, generation, initialize
from tests.waiting import until

CAPABILITIES: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
Answer = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Returns the response of the client to a method with these params; `{"error": ...}` for an error."""
LEGACY, MODERN = "2025-11-25", "2026-07-28"


class Client:
    """The only client of a server.

    Args:
        app: the app that is served.
        revision: the protocol revision of the client.
        secrets: the secrets that are set.
        answer: responds to the requests of the server.
        capabilities: the capabilities that the client declares.
        settings: the settings of the server.
    """

    def __init__(
        self,
        app: MCPApp,
        revision: str = LEGACY,
        secrets: Mapping[str, str] | None = None,
        answer: Answer | None = None,
        capabilities: dict[str, Any] | None = None,
        settings: Settings | None = None,
        **session: Any,
    ) -> None:
        async def values(keys: Iterable[str]) -> Mapping[str, str]:
            return {key: value for key, value in (secrets or {}).items() if key in keys}

        self.server = Server(Tap(), settings or Settings(state_key="k" * 32), values, app.identity)
        catalog, problems = app.build()
        assert not [item for item in problems if item.severity == "error"], problems
        self.server.swap(generation(catalog, app))
        self.records = Records(self.server.tap)
        self.outlet = RecordingOutlet()
        self.session = self.server.open_session(self.outlet, session.pop("transport", "memory"), **session)
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.keys: list[str] = []
        """The keys of the input requests in results."""
        self._answer = answer or (lambda method, params: {})
        self._seen = 0
        self._is_modern = revision == MODERN
        self._capabilities = CAPABILITIES if capabilities is None else capabilities
        self._id = 0
        if not self._is_modern:
            self.session.receive(initialize(revision, **self._capabilities))
            self.session.receive(INITIALIZED)

    @property
    def notifications(self) -> list[tuple[str, dict[str, Any]]]:
        """The notifications that the client has received."""
        return [
            (item["method"], item.get("params", {}))
            for item in self.outlet.sent
            if "method" in item and "id" not in item
        ]

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request, respond to the requests of the server meanwhile, and return the response."""
        params = {**params, "_meta": {**self.envelope(), **params.get("_meta", {})}}
        while True:
            id = self.begin(method, params)
            answer = await self.answer_to(id)
            result = answer.get("result", {})
            if result.get("resultType") != "input_required":
                return answer
            self.keys += result["inputRequests"]
            params["inputResponses"] = {
                key: self._reply(item["method"], item["params"]) for key, item in result["inputRequests"].items()
            }
            params["requestState"] = result["requestState"]

    def begin(self, method: str, params: dict[str, Any]) -> int:
        """Send a request and return its id."""
        self._id += 1
        self.session.receive(call(self._id, method, **params))
        return self._id

    async def answer_to(self, id: int) -> dict[str, Any]:
        """Return the response to a request, and respond to the requests of the server meanwhile."""
        while True:
            await until(lambda: len(self.outlet.sent) > self._seen)
            message = self.outlet.sent[self._seen]
            self._seen += 1
            if "method" in message and "id" in message:
                reply = self._reply(message["method"], message.get("params", {}))
                body = reply if "error" in reply else {"result": reply}
                self.session.receive(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}).encode())
            elif message.get("id") == id:
                return message

    def _reply(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((method, params))
        return self._answer(method, params)

    def envelope(self) -> dict[str, Any]:
        """Return the `_meta` that identifies the client; empty for a revision with sessions."""
        if not self._is_modern:
            return {}
        info = {"name": "tester", "version": "0"}
        return {PROTOCOL_VERSION: MODERN, CLIENT_CAPABILITIES: self._capabilities, CLIENT_INFO: info}


async def result_of(app: MCPApp, tool: str, revision: str = LEGACY, **options: Any) -> dict[str, Any]:
    """Return the result of a call of a tool without arguments; the options are those of :class:`Client`."""
    result: dict[str, Any] = (await Client(app, revision, **options).request("tools/call", name=tool))["result"]
    return result
