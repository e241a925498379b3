"""Descriptor 2 when its reader goes: whoever writes there goes on."""

import os
import select
import socket
from collections.abc import Callable

import pytest

from server_core.standard_error import StandardError
from tests.waiting import LIMIT


class Replaced:
    """Something else in the place of descriptor 2, looked after."""

    def __init__(self, fd: int) -> None:
        self._kept = os.dup(2)
        os.dup2(fd, 2)
        self._poll = select.poll()
        self.standard_error = StandardError(self._poll)

    def __enter__(self) -> "Replaced":
        return self

    def __exit__(self, *error: object) -> None:
        os.dup2(self._kept, 2)
        os.close(self._kept)

    def look(self) -> None:
        """Wait for an event, and have it looked at."""
        reported = dict(self._poll.poll(LIMIT * 1000))
        assert reported
        self.standard_error.look(reported)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is reported."""
        return not self._poll.poll(0)


def sockets() -> tuple[int, int]:
    read, write = socket.socketpair()
    return read.detach(), write.detach()


@pytest.mark.parametrize("ends", [os.pipe, sockets])
def test_descriptor_2_can_be_written_to_when_its_reader_has_gone(ends: Callable[[], tuple[int, int]]) -> None:
    read, write = ends()
    with Replaced(write) as replaced:
        os.write(2, b"read by somebody")
        assert replaced.is_quiet
        os.close(read)
        replaced.look()
        for _ in range(100):
            os.write(2, b"x" * 10_000)
            if not replaced.is_quiet:
                replaced.look()
        replaced.standard_error.close()
        os.write(2, b"x")
    os.close(write)


def test_a_tool_that_replaces_descriptor_2_is_left_alone() -> None:
    read, write = os.pipe()
    with Replaced(write) as replaced:
        os.close(write)
        os.close(read)
        replaced.look()
        other_read, other_write = os.pipe()
        os.dup2(other_write, 2)
        if not replaced.is_quiet:
            replaced.look()
        assert replaced.is_quiet
        os.write(2, b"mine")
        assert os.read(other_read, 100) == b"mine"
        replaced.standard_error.close()
        os.write(2, b"still mine")
        assert os.read(other_read, 100) == b"still mine"
    for fd in (other_read, other_write):
        os.close(fd)


def test_a_descriptor_2_that_a_tool_has_closed_is_looked_at_no_more() -> None:
    read, write = os.pipe()
    with Replaced(write) as replaced:
        os.close(2)
        replaced.look()
        assert replaced.is_quiet
    for fd in (read, write):
        os.close(fd)
