"""The cost of a round trip in Python without MCP: the same fixed result for every id.

On stdio a loop of reads and writes; over HTTP, with a port, an ASGI application on uvicorn with httptools.
"""

import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

RESULT = b'{"jsonrpc":"2.0","id":%b,"result":{"content":[{"type":"text","text":"Hello, how are you today?"}]}}'


def answer(message: bytes) -> bytes:
    """Return the fixed response to a message."""
    request_id, _, _ = message.partition(b'"id":')[2].partition(b",")
    return RESULT % request_id


def serve_stdio() -> None:
    """Answer line by line, with a single write for all lines of a read."""
    rest = b""
    while data := os.read(0, 65536):
        *lines, rest = (rest + data).split(b"\n")
        answers = memoryview(b"".join(answer(line) + b"\n" for line in lines if b'"id":' in line))
        while answers:
            answers = answers[os.write(1, answers) :]


async def app(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    """Answer a request (ASGI)."""
    body = b""
    more = True
    while more:
        part = await receive()
        body += part.get("body", b"")
        more = part.get("more_body", False)
    data = answer(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(data))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": data})


if __name__ == "__main__":
    if len(sys.argv) == 1:
        serve_stdio()
    else:
        import uvicorn

        uvicorn.run(
            app,
            host="127.0.0.1",
            port=int(sys.argv[1]),
            http="httptools",
            loop="asyncio",
            log_level="error",
            access_log=False,
            lifespan="off",
            timeout_keep_alive=600,
        )
