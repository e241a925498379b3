"""Which cores run: those that answer; what dead ones left is cleared away."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from server_core.link.descriptor import Descriptor, descriptor_path, socket_path
from workbench.link.core_match import find_joinable
from workbench.link.cores import find_core, list_cores


class Runners:
    """Replaces running cores: a descriptor, and a socket that listens."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def run(self, id: str, started: float = 0.0, *, alive: bool = True) -> Descriptor:
        listener = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(socket_path(id)))
        if alive:
            listener.listen()
        core = Descriptor(id, 4242, "1.0", f"/{id}", "link", started, str(socket_path(id)), "key")
        core.write()
        return core


@pytest.fixture
def runners() -> Iterator[Runners]:
    with ExitStack() as stack:
        yield Runners(stack)


def test_those_that_run_are_listed_from_the_oldest_on(runners: Runners) -> None:
    young, old = runners.run("young", 2.0), runners.run("old", 1.0)
    assert list_cores() == [old, young]


def test_files_of_a_dead_core_are_deleted(runners: Runners) -> None:
    runners.run("dead", alive=False)
    alive = runners.run("alive")
    assert list_cores() == [alive]
    assert sorted(os.listdir(os.environ["WORKBENCH_RUNTIME"])) == ["alive.json", "alive.sock"]


def test_a_file_that_is_no_descriptor_is_reported_and_stays(runners: Runners) -> None:
    alive = runners.run("alive")
    descriptor_path("junk").write_text("{")
    reported: list[str] = []
    assert list_cores(reported.append) == [alive]
    assert len(reported) == 1
    assert f"The descriptor {descriptor_path('junk')} cannot be read" in reported[0]
    assert descriptor_path("junk").exists()


def test_a_file_that_is_no_descriptor_is_refused_when_its_core_is_looked_for(runners: Runners) -> None:
    runners.run("alive")
    descriptor_path("junk").write_text("{")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        find_core("junk")


def test_a_descriptor_of_a_dead_core_deletes_no_file_that_it_names(runners: Runners, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    replace(runners.run("dead", alive=False), socket=str(tmp_path / "mine")).write()
    assert list_cores() == []
    assert (tmp_path / "mine").exists()


def test_the_core_of_the_current_folder_needs_no_id_beside_others(
    runners: Runners, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runners.run("abc")
    here = replace(runners.run("def"), project=str(tmp_path.resolve()))
    here.write()
    assert find_core() == here
    replace(runners.run("ghi"), project=here.project).write()
    with pytest.raises(ConfigurationError, match="More than one core is running"):
        find_core()


def test_the_only_core_needs_no_id(runners: Runners) -> None:
    core = runners.run("abc")
    assert find_core() == core


def give_away(path: Path, how: str) -> None:
    """Let others write to a file, or own it."""
    if how == "mode":
        path.chmod(0o666)
    elif os.geteuid():
        pytest.skip("Only root can give files away.")
    else:
        os.chown(path, 12345, -1)


@pytest.mark.parametrize("how", ["mode", "owner"])
@pytest.mark.parametrize("what", [descriptor_path, socket_path])
def test_a_core_that_may_belong_to_another_user_is_named_and_not_joined(
    runners: Runners, what: Callable[[str], Path], how: str
) -> None:
    runners.run("theirs")
    give_away(what("theirs"), how)
    words = "others can write" if how == "mode" else "belongs to another user"
    assert list_cores() == []
    with pytest.raises(ConfigurationError, match=words):
        find_core("theirs")
    joinable = find_joinable(Path("/theirs"))
    assert joinable.core is None
    assert words in joinable.notice


@pytest.mark.parametrize("id", ["abc1", "abc", "a"])
def test_a_unique_prefix_of_an_id_is_enough(runners: Runners, id: str) -> None:
    core = runners.run("abc1")
    runners.run("xyz")
    assert find_core(id) == core


def test_a_whole_id_has_precedence_over_a_prefix(runners: Runners) -> None:
    runners.run("abcd")
    short = runners.run("abc")
    assert find_core("abc") == short


@pytest.mark.parametrize(
    ("id", "complaint"),
    [(None, "More than one core"), ("a", "More than one core"), ("zz", "No core has the id 'zz'")],
)
def test_an_ambiguous_choice_is_refused_with_a_list(runners: Runners, id: str | None, complaint: str) -> None:
    runners.run("a1")
    runners.run("a2")
    with pytest.raises(ConfigurationError, match=complaint) as refusal:
        find_core(id)
    assert "a1  /a1" in str(refusal.value)
    assert "a2  /a2" in str(refusal.value)


def test_without_a_running_core_the_way_to_start_it_is_shown() -> None:
    with pytest.raises(ConfigurationError, match="start one with `workbench`"):
        find_core("abc")
