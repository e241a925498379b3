"""A client on a server's pipes with minimal cost: bytes that were created before, and no event loop."""

import json
import os
import select
import time

from benchmarks.calls import messages
from benchmarks.calls.process import LIMIT, Process
from benchmarks.calls.rounds import Batch


class PipeClient:
    """A client on stdio.

    Args:
        process: the server.
        era: the era of the messages.
        window: how many calls are in flight when they are pipelined.
    """

    def __init__(self, process: Process, era: str, window: int) -> None:
        self._process = process
        self._era = era
        self._window = window
        self._in = process.stdin.fileno()
        self._out = process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._events = select.epoll()
        self._events.register(self._out, select.EPOLLIN)
        self._last_id = 0
        if era == messages.SESSIONS:
            self._open()

    def pipelined(self, count: int) -> Batch:
        """Make pipelined calls."""
        first, lines = self._prepare(count)
        received: list[bytes] = []
        started = time.perf_counter()
        waiting = b"".join(lines[: self._window])
        sent, done = min(self._window, count), 0
        while done < count:
            waiting = self._write(waiting)
            data = self._read()
            received.append(data)
            answers = data.count(b"\n")
            done += answers
            waiting += b"".join(lines[sent : sent + answers])
            sent += answers
        seconds = time.perf_counter() - started
        self._check(b"".join(received), first, count)
        return Batch(seconds)

    def sequential(self, count: int) -> Batch:
        """Make calls in sequence."""
        first, lines = self._prepare(count)
        received: list[bytes] = []
        times = []
        for line in lines:
            started = time.perf_counter()
            os.write(self._in, line)
            data = self._read()
            while not data.endswith(b"\n"):
                data += self._read()
            times.append(time.perf_counter() - started)
            received.append(data)
        self._check(b"".join(received), first, count)
        return Batch(sum(times), times)

    def close(self) -> None:
        """Release the resources of the client; the process belongs to its owner."""
        self._events.close()

    def _open(self) -> None:
        os.write(self._in, messages.encode(messages.handshake()) + b"\n")
        data = b""
        while not data.endswith(b"\n"):
            data += self._read()
        if "result" not in json.loads(data):
            raise RuntimeError(f"{self._process.command} refused the handshake: {data[:1000]!r}")
        os.write(self._in, messages.encode(messages.initialized()) + b"\n")

    def _prepare(self, count: int) -> tuple[int, list[bytes]]:
        first = self._last_id + 1
        self._last_id += count
        return first, [call + b"\n" for call in messages.calls(self._era, range(first, first + count))]

    def _write(self, data: bytes) -> bytes:
        """Write as much as the pipe accepts, and return the rest."""
        if not data:
            return data
        try:
            return data[os.write(self._in, data) :]
        except BlockingIOError:
            return data

    def _read(self) -> bytes:
        if not self._events.poll(LIMIT):
            raise RuntimeError(f"{self._process.command} stays silent")
        if not (data := os.read(self._out, 1 << 20)):
            raise RuntimeError(f"{self._process.command} ended")
        return data

    @staticmethod
    def _check(received: bytes, first: int, count: int) -> None:
        """Check that each call has its response, and that a sample of them is correct."""
        lines = received.split(b"\n")[:-1]
        ids = {call_id for line in lines if type(call_id := json.loads(line).get("id")) is int}
        if len(lines) != count or ids != set(range(first, first + count)):
            raise RuntimeError(f"{count} calls were answered by {len(lines)} messages, {lines[:2]!r}")
        for line in (lines[0], lines[-1]):
            messages.check(line, json.loads(line)["id"])
