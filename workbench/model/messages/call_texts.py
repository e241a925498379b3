"""A recorded call as text for other places: a shell, a program with the official SDK, a test."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from server_core.protocol.envelope import is_stateless
from server_core.protocol.headers import message_headers
from workbench.model.action_commands import CalledServer, command_line
from workbench.model.catalog import OfferKind
from workbench.model.json_members import object_in, objects_in, text_in
from workbench.model.saved_calls import SavedCall

_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_WORD = re.compile(r"[^\W\d_][\w .,-]*")

TEST = "t"
"""The key of the form that is a test."""

_DEFAULT_URL = "http://127.0.0.1:8000/mcp"


@dataclass(frozen=True, slots=True)
class CallText:
    """One form of a call."""

    key: str  # that selects it in a menu
    title: str
    text: str


def call_texts(
    call: SavedCall, server: CalledServer, message: dict[str, Any], result: dict[str, Any] | None
) -> list[CallText]:
    """Return the forms of a call; a test expects its `result`, if it is known."""
    texts = [CallText("w", "workbench call", _command(call, server))] if call.kind is OfferKind.TOOL else []
    texts += [
        CallText("j", "JSON-RPC", json.dumps(message, ensure_ascii=False, indent=2)),
        CallText("c", "curl", _curl(message, server.url or server.http_url or _DEFAULT_URL)),
        CallText("p", "Python with the official SDK", _python(call, server)),
    ]
    return texts if server.is_relay else [*texts, CallText(TEST, "a test for pytest", _test(call, result))]


def _command(call: SavedCall, server: CalledServer) -> str:
    return command_line(["call", call.name, *argument_words(call.arguments)], server)


def argument_words(arguments: dict[str, Any]) -> Iterator[str]:
    """Yield the words of a command for the arguments of a call."""
    if not all(map(_PLAIN_NAME.fullmatch, arguments)):
        yield from ("--args", json.dumps(arguments, ensure_ascii=False))
        return
    for name, value in arguments.items():
        # Other texts are written as JSON: a parameter of any type would take 3 as a number.
        is_word = isinstance(value, str) and _WORD.fullmatch(value) and value not in ("true", "false", "null")
        yield f"{name}={value}" if is_word else f"{name}:={json.dumps(value, ensure_ascii=False)}"


def _curl(message: dict[str, Any], url: str) -> str:
    params = object_in(message, "params")
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    lines = [f"curl -sS {shlex.quote(url)}"]
    if is_stateless(params):
        headers |= message_headers(text_in(message, "method"), params)
    else:
        # basic/transports: the session that the response to `initialize` names.
        lines.append('-H "Mcp-Session-Id: $SESSION"')
    lines += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in headers.items()]
    lines.append(f"-d {shlex.quote(json.dumps(message, ensure_ascii=False))}")
    return " \\\n  ".join(lines)


def _python(call: SavedCall, server: CalledServer) -> str:
    if server.url:
        imports = "from mcp.client.streamable_http import streamable_http_client"
        opened = f"streamable_http_client({server.url!r}) as (read, write, _)"
    else:
        imports = "from mcp.client.stdio import stdio_client"
        command, *words = (
            shlex.split(server.name) if server.is_relay else ["workbench", "serve", "--stdio", server.name]
        )
        opened = f"stdio_client(StdioServerParameters(command={command!r}, args={words!r})) as (read, write)"
    names = "ClientSession" if server.url else "ClientSession, StdioServerParameters"
    return f"""import asyncio

from mcp import {names}
{imports}


async def main() -> None:
    async with {opened}:
        async with ClientSession(read, write) as session:
            await session.initialize()
            print(await session.{_sdk_call(call)})


asyncio.run(main())
"""


def _sdk_call(call: SavedCall) -> str:
    match call.kind:
        case OfferKind.TOOL:
            return f"call_tool({call.name!r}, {call.arguments!r})"
        case OfferKind.PROMPT:
            return f"get_prompt({call.name!r}, {call.arguments!r})"
        case _:
            return f"read_resource({call.name!r})"


def _test(call: SavedCall, result: dict[str, Any] | None) -> str:
    name = re.sub(r"\W+", "_", call.name).strip("_").lower() or "call"
    match call.kind:
        case OfferKind.TOOL:
            body = _tool_test(call, result)
        case OfferKind.PROMPT:
            body = [f"mcp_client.get_prompt({call.name!r}, **{call.arguments!r})"]
        case _:
            body = [f"mcp_client.read_resource({call.name!r})"]
    return "\n".join([f"def test_{name}(mcp_client):", *(f"    {line}" for line in body), ""])


def _tool_test(call: SavedCall, result: dict[str, Any] | None) -> list[str]:
    failed = result is not None and result.get("isError") is True
    check = ", check=False" if failed else ""
    lines = [f"result = mcp_client.call_tool({call.name!r}, {call.arguments!r}{check})"]
    if result is None:
        return lines
    if failed:
        lines.append("assert result.is_error")
    if "structuredContent" in result:
        lines.append(f"assert result.structured == {result['structuredContent']!r}")
    else:
        texts = [text_in(item, "text") for item in objects_in(result, "content") if item.get("type") == "text"]
        lines += [f"assert result.text == {texts[0]!r}"] if len(texts) == 1 else []
    return lines
