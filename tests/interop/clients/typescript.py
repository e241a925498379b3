"""The TypeScript SDK's clients: a program in Node.js has the session, and executes a command a line.

typescript.py ERA [--url URL] --version 1|2 --node NODE --modules FOLDER [-- COMMAND...]
"""

import argparse
import asyncio
import itertools
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from checking import Lacking, Refused
from checks import checks
from client import Answers, Json, OnProgress, Started, started

PROGRAM = Path(__file__).with_suffix(".mjs")
LONGEST_LINE = 1 << 24


class TypeScriptClient:
    """A session, as the checks want it.

    Args:
        how: how the program was started.
        process: holds the session.
    """

    def __init__(self, how: Started, process: asyncio.subprocess.Process) -> None:
        self.era = how.era
        self.answers = Answers()
        self.logs: list[Json] = []
        self.notifications: list[tuple[str, str]] = []
        self.begun: Json = {}
        self._process = process
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._reports: dict[int, OnProgress] = {}

    @property
    def revision(self) -> str:
        return str(self.begun["revision"])

    @property
    def server_info(self) -> Json:
        return dict(self.begun["serverInfo"])

    @property
    def instructions(self) -> str:
        return str(self.begun["instructions"])

    @property
    def capabilities(self) -> Json:
        return dict(self.begun["capabilities"])

    async def list(self, kind: str) -> tuple[list[Json], int]:
        listing = await self._do("list", {"kind": kind})
        return listing["entries"], listing["pages"]

    async def call(self, name: str, arguments: Json | None = None, on_progress: OnProgress | None = None) -> Json:
        message = {"name": name, "arguments": arguments or {}, "progress": on_progress is not None}
        return await self._do("call", message, on_progress)

    async def call_as_task(self, name: str, arguments: Json | None = None) -> Json:
        result = await self._do("task", {"name": name, "arguments": arguments or {}})
        if result is None:
            raise Lacking("The client's library has no tasks.")
        return result

    async def read(self, uri: str) -> Json:
        return await self._do("read", {"uri": uri})

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        return await self._do("prompt", {"name": name, "arguments": arguments})

    async def complete(self, ref: Json, argument: dict[str, str]) -> Json:
        return await self._do("complete", {"ref": ref, "argument": argument})

    async def set_log_level(self, level: str) -> None:
        await self._do("level", {"level": level})

    @asynccontextmanager
    async def hearing(self, uri: str = "") -> AsyncIterator[None]:
        await self._do("listen", {"uri": uri})
        yield
        await self._do("unlisten", {"uri": uri})

    async def begin(self) -> None:
        """Wait until there is a session."""
        self.begun = await self._do("begin", {})

    async def follow(self) -> None:
        """Receive the messages of the program, until it ends."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            self._take(json.loads(line))
        for waiting in self._waiting.values():
            waiting.set_exception(ConnectionError(f"the client ended with {await self._process.wait()}"))

    async def _do(self, what: str, arguments: Json, on_progress: OnProgress | None = None) -> Any:
        id = next(self._ids)
        self._waiting[id] = asyncio.get_running_loop().create_future()
        if on_progress is not None:
            self._reports[id] = on_progress
        self._send({"id": id, "do": what, "with": arguments})
        try:
            answer = await self._waiting[id]
        except asyncio.CancelledError:
            self._send({"id": next(self._ids), "do": "cancel", "with": {"id": id}})
            raise
        finally:
            del self._waiting[id]
        if "refused" in answer:
            raise Refused(answer["refused"]["code"], answer["refused"]["message"])
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer["result"]

    def _take(self, message: Json) -> None:
        params = message.get("params", {})
        if "asked" in message:
            answer = self.answers.elicit if message["method"] == "elicitation/create" else self.answers.create_message
            self._send({"answer": message["asked"], "result": answer(params)})
        elif "progress" in message:
            self._reports[message["progress"]](params)
        elif message.get("notified") == "notifications/message":
            self.logs.append(params)
        elif "notified" in message:
            self.notifications.append((message["notified"], params.get("uri", "")))
        elif message["id"] in self._waiting:
            self._waiting[message["id"]].set_result(message)

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")


@asynccontextmanager
async def connected(how: Started) -> AsyncIterator[TypeScriptClient]:
    """Begin a session."""
    parser = argparse.ArgumentParser()
    for option in ("--version", "--node", "--modules"):
        parser.add_argument(option, required=True)
    options = parser.parse_args(how.rest)
    process = await asyncio.create_subprocess_exec(
        options.node,
        *(PROGRAM, options.version, how.era),
        *(["--url", how.url] if how.url else ["--", *how.command]),
        env={**os.environ, "NODE_MODULES": options.modules},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
    )
    client = TypeScriptClient(how, process)
    async with asyncio.TaskGroup() as group:
        following = group.create_task(client.follow())
        try:
            await client.begin()
            yield client
        finally:
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()
            following.cancel()


if __name__ == "__main__":
    how = started()
    asyncio.run(checks.run(lambda: connected(how)))
