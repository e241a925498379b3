"""A server that someone else wrote, in plain Python: its tools do what the tests of the command line need."""

import json
import sys
from typing import Any

SCHEMA = {"type": "object", "properties": {"message": {"type": "string"}, "times": {"type": "integer"}}}
TOOLS = [
    {"name": name, "description": f"Does {name}.\n\nIn full.", "inputSchema": SCHEMA}
    for name in ("echo", "fail", "repeat", "break", "ask", "visit", "think", "picture", "slow", "crash", "evil", "hang")
]


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)


def receive() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    value: dict[str, Any] = json.loads(line)
    return value


def ask(method: str, **params: Any) -> str:
    send(id="q", method=method, params=params)
    while True:
        answer = receive()
        if answer.get("id") == "q":
            return json.dumps(answer.get("result") or answer.get("error"))


def text(content: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": content}], **more}


def call(id: Any, name: str, arguments: dict[str, Any], token: Any) -> None:
    if name == "echo":
        result = text(arguments.get("message", "") * arguments.get("times", 1))
    elif name == "fail":
        facts = {"errorKind": "TOOL_RUNTIME_RETRY", "canRetry": True, "additionalPromptContent": "Say please."}
        result = text("It failed.", isError=True, _meta={"arcade": facts})
    elif name == "repeat":
        hint = "Say \x1b[31mplease."
        result = text(f"{hint} It failed.", isError=True, _meta={"arcade": {"additionalPromptContent": hint}})
    elif name == "break":
        send(id=id, error={"code": -32603, "message": "Broken", "data": {"part": "axle"}})
        return
    elif name == "ask":
        properties = {"day": {"type": "string", "default": "Monday"}, "guests": {"type": "integer", "minimum": 1}}
        schema = {"type": "object", "properties": properties, "required": arguments.get("required", [])}
        result = text(ask("elicitation/create", message="Which day?", requestedSchema=schema))
    elif name == "visit":
        result = text(ask("elicitation/create", mode="url", message="Sign in", url="https://example.com/in"))
    elif name == "think":
        message = {"role": "user", "content": {"type": "text", "text": "Name a fish."}}
        result = text(ask("sampling/createMessage", messages=[message], maxTokens=5))
    elif name == "picture":
        result = {"content": [{"type": "image", "mimeType": "image/png", "data": "AAAA" * 100}]}
    elif name == "slow":
        send(
            method="notifications/progress",
            params={"progressToken": token, "progress": 1, "total": 2, "message": "half"},
        )
        send(method="notifications/message", params={"level": "info", "logger": "kitchen", "data": "warm"})
        result = text("done", structuredContent={"result": "done"})
    elif name == "hang":
        return
    elif name == "evil":
        result = text("\x1b[31mred", structuredContent={"tall": 1})
    else:
        sys.exit(7)
    send(id=id, result=result)


def main() -> None:
    print("a warm welcome", file=sys.stderr, flush=True)
    while True:
        request = receive()
        params = request.get("params", {})
        if request["method"] == "initialize":
            about = {"name": "foreign", "version": "1"}
            send(
                id=request["id"],
                result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": about},
            )
        elif request["method"] == "tools/list":
            send(id=request["id"], result={"tools": TOOLS})
        elif request["method"] == "tools/call":
            token = params.get("_meta", {}).get("progressToken")
            call(request["id"], params["name"], params.get("arguments", {}), token)
        elif "id" in request:
            send(id=request["id"], error={"code": -32601, "message": "Method not found"})


main()
