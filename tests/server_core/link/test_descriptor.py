"""The file through which terminals find a core."""

import json
import os
import socket
import stat
from dataclasses import asdict
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.link.descriptor import Descriptor, check_id, descriptor_path, is_listening, socket_path
from tests.tables import each_row


def descriptor(core_id: str = "c1") -> Descriptor:
    return Descriptor(core_id, 4242, "1.0", "/demo", "link", 0.0, str(socket_path(core_id)), "key")


def test_it_is_read_as_it_was_written_and_only_its_owner_may_read_it() -> None:
    descriptor().write()
    path = descriptor_path("c1")
    assert Descriptor.read(path) == descriptor()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_its_key_is_not_shown_where_it_is_printed() -> None:
    assert "key" not in repr(descriptor()).replace("monkey", "")


def test_removing_it_removes_the_socket_and_is_safe_twice() -> None:
    core = descriptor()
    core.write()
    Path(core.socket).write_text("")
    core.remove()
    core.remove()
    assert list(descriptor_path("c1").parent.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({"id": 1, "unknown": 2})])
def test_a_file_without_a_descriptor_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        Descriptor.read(tmp_path / "x.json")


BAD_NUMBERS = ("1", None, 1.5, [], {}, True, -1, 10**30)
BAD_FIELDS = [
    *(("pid", value) for value in (*BAD_NUMBERS, 0, 1, 2**40)),
    *((name, value) for name in ("terminals", "clients") for value in BAD_NUMBERS),
    *(("started", value) for value in ("1", None, [], True, -1, 1e300, float("inf"), float("nan"))),
    *(("idle_since", value) for value in ("1", [], True, -1, 1e300, float("nan"))),
    *((name, 5) for name in ("id", "version", "project", "mode", "socket", "key", "http", "purpose", "options")),
    *((name, None) for name in ("id", "version", "project", "mode", "socket", "key", "purpose", "options")),
    *(("socket", value) for value in ("", "a.sock", "/a\0b", "/\ud800")),
    *(("id", value) for value in ("c2", "../c1", "")),
]


def test_a_field_that_is_not_of_its_type_and_range_is_refused() -> None:
    for name, value in BAD_FIELDS:
        path = descriptor_path("c1")
        path.write_text(json.dumps(asdict(descriptor()) | {name: value}))
        with pytest.raises(ConfigurationError, match=r"cannot be read \(.*(name of the file|" + name + ")"):
            Descriptor.read(path)


def test_a_field_that_is_missing_is_refused() -> None:
    for name in (
        "id",
        "pid",
        "version",
        "project",
        "mode",
        "started",
        "socket",
        "key",
    ):
        values = asdict(descriptor())
        del values[name]
        descriptor_path("c1").write_text(json.dumps(values))
        with pytest.raises(ConfigurationError, match=f"'{name}' is missing"):
            Descriptor.read(descriptor_path("c1"))


def fill(path: Path, kind: str) -> None:
    """Put something in the place of a file."""
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to(os.devnull)
        case "huge":
            path.write_bytes(b" " * 10_000_000)
        case "deep":
            path.write_text("[" * 60_000)
        case "digits":
            path.write_text("9" * 10_000)
        case _:
            path.write_bytes(b"\xff\x00")


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "huge", "deep", "digits", "garbage"])
def test_an_invalid_descriptor_is_refused_at_once(kind: str) -> None:
    fill(descriptor_path("c1"), kind)
    reason = "not a regular file" if kind in {"pipe", "device"} else ""
    with pytest.raises(ConfigurationError, match=rf"cannot be read \(.*{reason}"):
        Descriptor.read(descriptor_path("c1"))


@each_row("core_id", ["", "../up", "a/b", "a" * 33, "-x", "a b", "é"])
def test_an_id_that_cannot_be_the_name_of_a_file_is_refused(core_id: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be the id of a core"):
        check_id(core_id)


def test_a_socket_is_alive_while_a_process_listens() -> None:
    path = socket_path("c1")
    assert not is_listening(path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        assert not is_listening(path)
        listener.listen()
        assert is_listening(path)
    assert not is_listening(path)
