"""The arguments of tools that HTTP headers repeat, from the tool lists that a client receives.

Rule 1: a tool with invalid annotations is refused: it is reported with the reason, and never gets headers.
Rule 2: the parameters of a tool are valid until a list replaces them; the oldest are dropped when there are too many.

Source: 2026-07-28, basic/transports/streamable-http, custom headers from tool parameters.
"""

from typing import Any

from server_core.protocol.header_parameters import header_parameters
from server_core.protocol.headers import HeaderParameters, parameter_headers
from server_core.protocol.jsonrpc import Params

MAX_TOOLS = 10_000


class ToolParameters:
    """The annotated parameters of the tools of one server."""

    def __init__(self) -> None:
        # The tools that cannot be called over HTTP, and why.
        self.refused: dict[str, str] = {}
        self._parameters: dict[str, HeaderParameters] = {}

    def learn(self, result: dict[str, Any]) -> None:
        """Store the parameters in a result of `tools/list`, which may be invalid."""
        tools = result.get("tools")
        for tool in tools if isinstance(tools, list) else []:
            if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                self._learn_tool(name, tool.get("inputSchema"))

    def headers(self, params: Params) -> dict[str, str]:
        name, arguments = params.get("name"), params.get("arguments")
        entries = self._parameters.get(name) if isinstance(name, str) else None
        return {} if entries is None or not isinstance(arguments, dict) else parameter_headers(entries, arguments)

    def _learn_tool(self, name: str, schema: Any) -> None:
        parameters, problems = header_parameters(schema)
        self.refused.pop(name, None)
        self._parameters.pop(name, None)
        if problems:
            _add_bounded(self.refused, name, "; ".join(problems))
        elif parameters:
            _add_bounded(self._parameters, name, parameters)


def _add_bounded(entries: dict[str, Any], name: str, value: Any) -> None:
    if len(entries) >= MAX_TOOLS:
        del entries[next(iter(entries))]
    entries[name] = value
