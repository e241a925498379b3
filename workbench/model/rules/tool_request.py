"""A request of a tool that a rule may answer, with the facts that filters ask for."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from server_core.protocol import jsonrpc
from server_core.records.tap import Direction, Kind
from workbench.model.traffic.annotations import NO_ANNOTATION
from workbench.model.traffic.entry import PENDING

ELICITATION = "elicitation/create"
SAMPLING = "sampling/createMessage"
ROOTS = "roots/list"
METHODS = (ELICITATION, SAMPLING, ROOTS)


@dataclass(frozen=True)
class ToolRequest:
    """A request of a tool; its other facts are those of :class:`~workbench.model.traffic.message_facts.MessageFacts`.

    In the stateless era it is part of a result: a filter reads it as the request that it is up to 2025-11-25.
    """

    method: str
    params: dict[str, Any] = field(default_factory=dict)
    name: str = ""  # of the tool; empty if unknown
    id: str = ""  # as JSON
    call: str = ""  # the id of the call that it belongs to, as JSON; empty if unknown
    client: str = ""
    era: str = ""
    revision: str = ""
    time: float = 0.0  # in seconds since the epoch

    # Facts of messages that a request which was just received does not have.
    seq = pair = parent = 0
    session = mark = hold = summary = ""
    latency: float | None = None
    annotation = NO_ANNOTATION
    direction = Direction.OUT
    kind = Kind.REQUEST
    status = PENDING

    @property
    def is_form(self) -> bool:
        return self.method == ELICITATION and self.params.get("mode", "form") != "url"

    @cached_property
    def data(self) -> bytes:
        return jsonrpc.encode({"jsonrpc": "2.0", "id": self.id, "method": self.method, "params": self.params})

    @property
    def size(self) -> int:
        return len(self.data)

    @property
    def tool_names(self) -> list[str]:
        """The tools that a sampling request offers to the model."""
        tools = self.params.get("tools")
        names = [tool.get("name") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
        return [name for name in names if isinstance(name, str)]
