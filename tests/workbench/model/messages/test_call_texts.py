"""A recorded call as text for a shell, a program and a test; each is valid in its own language."""

import ast
import json
import shlex
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from server_core.protocol.envelope import client_meta
from server_core.protocol.revisions import LATEST_STATELESS
from workbench.model.catalog import OfferKind
from workbench.model.messages.call_texts import CalledServer, call_texts
from workbench.model.saved_calls import SavedCall

PROJECT = CalledServer("/home/ada/my café", is_relay=False)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
VALUES = st.none() | st.booleans() | st.integers() | TEXT | st.lists(TEXT)


def texts(arguments: dict[str, Any], server: CalledServer = PROJECT, result: dict[str, Any] | None = None) -> Any:
    call = SavedCall("greet", OfferKind.TOOL, "greet", arguments, is_recorded=True)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "arguments": arguments}}
    return {each.key: each.text for each in call_texts(call, server, message, result)}


@given(st.dictionaries(TEXT, VALUES))
def test_every_form_has_the_arguments_of_the_call(arguments: dict[str, Any]) -> None:
    forms = texts(arguments, result={"content": [{"type": "text", "text": "ok"}]})
    assert json.loads(forms["j"])["params"]["arguments"] == arguments
    assert json.loads(shlex.split(forms["c"])[-1])["params"]["arguments"] == arguments
    ast.parse(forms["p"])
    call = ast.parse(forms["t"]).body[0].body[0].value  # type: ignore[attr-defined]
    assert ast.literal_eval(call.args[1]) == arguments
    words = shlex.split(forms["w"])
    assert words[:3] == ["workbench", "call", "greet"]
    assert words[-2:] == ["--project", PROJECT.name]


def test_the_command_writes_each_argument_as_the_command_line_reads_it() -> None:
    words = shlex.split(texts({"name": "Ada L", "times": 3, "code": "3", "tags": ["a"]})["w"])
    assert words[3:7] == ["name=Ada L", "times:=3", 'code:="3"', 'tags:=["a"]']
    assert shlex.split(texts({"a b": 1})["w"])[3:5] == ["--args", '{"a b": 1}']


def test_another_server_is_named_as_it_was_opened() -> None:
    assert texts({}, CalledServer("npx -y srv", is_relay=True))["w"] == "workbench call greet -- npx -y srv"
    remote = texts({}, CalledServer("https://example.org/mcp", is_relay=True))
    assert remote["w"].endswith("--url https://example.org/mcp")
    assert "streamable_http_client('https://example.org/mcp')" in remote["p"]
    assert "t" not in remote


def test_curl_sends_the_headers_of_the_era() -> None:
    assert '-H "Mcp-Session-Id: $SESSION"' in texts({})["c"]
    meta = client_meta(LATEST_STATELESS, {}, {"name": "x", "version": "1"})
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "_meta": meta}}
    call = SavedCall("greet", OfferKind.TOOL, "greet", {}, is_recorded=True)
    served = CalledServer(".", is_relay=False, http_url="http://127.0.0.1:9000/mcp")
    curl = next(each.text for each in call_texts(call, served, message, None) if each.key == "c")
    assert shlex.split(curl)[:3] == ["curl", "-sS", "http://127.0.0.1:9000/mcp"]
    assert "MCP-Protocol-Version: 2026-07-28" in curl
    assert "Mcp-Name: greet" in curl


def test_a_test_expects_the_recorded_result() -> None:
    failed = {"isError": True, "content": [{"type": "text", "text": "No."}]}
    assert texts({}, result=failed)["t"] == (
        "def test_greet(mcp_client):\n"
        "    result = mcp_client.call_tool('greet', {}, check=False)\n"
        "    assert result.is_error\n"
        "    assert result.text == 'No.'\n"
    )
    assert "assert result.structured == {'sum': 3}" in texts({}, result={"structuredContent": {"sum": 3}})["t"]
