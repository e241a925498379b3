"""Writing to the real standard error does not block or fail when its reader stops reading, or disconnects."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from server_core.process.standard_error import StandardError, descriptor


@contextmanager
def in_place_of_2(fd: int) -> Iterator[StandardError]:
    """Something else in the place of descriptor 2, moved to a descriptor of its own."""
    kept = os.dup(2)
    os.dup2(fd, 2)
    standard_error = StandardError()
    try:
        yield standard_error
    finally:
        standard_error.restore()
        standard_error.close()
        os.dup2(kept, 2)
        os.close(kept)


def sockets() -> tuple[int, int]:
    read, write = socket.socketpair()
    return read.detach(), write.detach()


@pytest.mark.parametrize("ends", [os.pipe, sockets])
def test_output_is_dropped_when_the_reader_has_disconnected(ends: Callable[[], tuple[int, int]]) -> None:
    read, write = ends()
    with in_place_of_2(write) as standard_error:
        standard_error.write(b"read by the reader")
        assert os.read(read, 100) == b"read by the reader"
        os.close(read)
        for _ in range(100):
            standard_error.write(b"x" * 10_000)
    os.close(write)


def test_output_is_dropped_while_it_is_not_read_and_arrives_again_afterwards() -> None:
    read, write = os.pipe()
    with in_place_of_2(write) as standard_error:
        for _ in range(100):
            standard_error.write(b"x" * 10_000)
        assert set(os.read(read, 1 << 20)) == set(b"x")
        standard_error.write(b"again")
        assert os.read(read, 100) == b"again"
    for fd in (read, write):
        os.close(fd)


def test_the_descriptor_is_2_again_after_restore() -> None:
    assert descriptor() == 2
    with in_place_of_2(2) as standard_error:
        assert descriptor() == standard_error.fd != 2
    assert descriptor() == 2
