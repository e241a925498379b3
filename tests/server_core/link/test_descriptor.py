"""The file by which a terminal finds a core."""

import json
import socket
import stat
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.link.descriptor import Descriptor, check_id, descriptor_path, is_listening, socket_path


def descriptor(id: str = "c1") -> Descriptor:
    return Descriptor(id, 1, "1.0", "/demo", "link", 0.0, str(socket_path(id)), "key")


def test_it_comes_back_as_it_was_written_and_only_its_owner_may_read_it() -> None:
    descriptor().write()
    path = descriptor_path("c1")
    assert Descriptor.read(path) == descriptor()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_its_key_is_not_shown_where_it_is_printed() -> None:
    assert "key" not in repr(descriptor()).replace("monkey", "")


def test_removing_it_takes_the_socket_along_and_may_be_done_twice() -> None:
    one = descriptor()
    one.write()
    Path(one.socket).write_text("")
    one.remove()
    one.remove()
    assert list(descriptor_path("c1").parent.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({"id": 1, "unknown": 2})])
def test_a_file_that_holds_none_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match=r".*"):
        Descriptor.read(tmp_path / "x.json")


@pytest.mark.parametrize("id", ["", "../up", "a/b", "a" * 33, "-x", "a b", "é"])
def test_an_id_that_cannot_be_the_name_of_a_file_is_refused(id: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be the id of a core"):
        check_id(id)


def test_a_socket_is_alive_while_somebody_listens() -> None:
    path = socket_path("c1")
    assert not is_listening(path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        assert not is_listening(path)
        listener.listen()
        assert is_listening(path)
    assert not is_listening(path)
