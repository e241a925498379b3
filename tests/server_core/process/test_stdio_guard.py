"""The stdio guard: no output of a tool reaches the wire, and it is attributed to its call."""

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from server_core import MCPApp
from server_core.execution.running_calls import InFlight
from server_core.process.stdio_guard import StdioGuard
from server_core.process.stray_lines import LINE_LIMIT
from server_core.protocol.jsonrpc import parse
from server_core.records.tap import Kind, Tap
from server_core.runtime.background import spawn
from server_core.serving.server import Server
from server_core.settings import Settings
from server_core.transports.stdio import serve_stdio
from tests.server_core.toolkit import INITIALIZED, Records, call, generation, initialize, secret_values
from tests.tables import each_row
from tests.waiting import LIMIT, until, within


class Standard:
    """Pipes in the places of the process's standard descriptors."""

    def __init__(self) -> None:
        self._kept = [os.dup(fd) for fd in (0, 1, 2)]
        read_in, self.to_stdin = os.pipe()
        self.from_stdout, write_out = os.pipe()
        self.from_stderr, write_err = os.pipe()
        for fd, place in ((read_in, 0), (write_out, 1), (write_err, 2)):
            os.dup2(fd, place)
            os.close(fd)
        for fd in (self.from_stdout, self.from_stderr):
            os.set_blocking(fd, False)
        self._read = {self.from_stdout: b"", self.from_stderr: b""}

    def stdout(self) -> bytes:
        """What has come out so far."""
        return self._all(self.from_stdout)

    def stderr(self) -> bytes:
        """What has come out so far."""
        return self._all(self.from_stderr)

    def close_stdin(self) -> None:
        if self.to_stdin >= 0:
            os.close(self.to_stdin)
            self.to_stdin = -1

    def close(self) -> None:
        self.close_stdin()
        for fd, place in zip(self._kept, (0, 1, 2), strict=True):
            os.dup2(fd, place)
            os.close(fd)
        os.close(self.from_stdout)
        os.close(self.from_stderr)

    def _all(self, fd: int) -> bytes:
        try:
            while data := os.read(fd, 1 << 20):
                self._read[fd] += data
        except BlockingIOError:
            pass
        return self._read[fd]


class World:
    """A fence around this process, with pipes for its standard descriptors.

    A fixture would not do: the test runner puts its own descriptors back between the fixtures and the test.
    """

    def __init__(self) -> None:
        self.standard = Standard()
        self.tap = Tap()
        self.records = Records(self.tap)
        self.stdio_guard = StdioGuard(self.tap)

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *error: object) -> None:
        self.stdio_guard.close()
        self.standard.close()


def print_from_c() -> None:
    libc = ctypes.CDLL(None)
    libc.puts(b"stray")
    libc.fflush(None)


def print_from_a_fork() -> None:
    if (child := os.fork()) == 0:
        print("stray", flush=True)
        os._exit(0)
    os.waitpid(child, 0)


PRINTERS = {
    "print": lambda: print("stray"),
    "sys.stdout": lambda: sys.stdout.write("stray\n"),
    "the buffer of sys.stdout": lambda: sys.stdout.buffer.write(b"stray\n"),
    "the descriptor": lambda: os.write(1, b"stray\n"),
    "C": print_from_c,
    "a child process": lambda: subprocess.run(["echo", "stray"], check=True),
    "a child process with sys.stdout": lambda: subprocess.run(["echo", "stray"], check=True, stdout=sys.stdout),
    "a fork": print_from_a_fork,
}


@pytest.mark.parametrize("printer", PRINTERS.values(), ids=PRINTERS.keys())
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_printed_text_becomes_a_record_and_reaches_stderr_but_not_the_wire(
    printer: Callable[[], object],
) -> None:
    with World() as world:
        with InFlight("s1", "7"):
            printer()
        strays = world.records.of(Kind.STDOUT)
        assert [(stray.data, stray.session, stray.call) for stray in strays] == [(b"stray", "s1", "7")]
        assert world.standard.stdout() == b""
        assert world.standard.stderr() == b"stray\n"


def test_a_print_belongs_to_the_call_that_prints_though_others_run() -> None:
    with World() as world:
        entered, leave = threading.Event(), threading.Event()

        def other() -> None:
            with InFlight("s2", '"x"'):
                entered.set()
                leave.wait()

        thread = threading.Thread(target=other)
        thread.start()
        entered.wait()
        with InFlight("s1", "7"):
            print("mine")
            os.write(1, b"whose?\n")
        leave.set()
        thread.join()
        assert [(item.data, item.session, item.call) for item in world.records.of(Kind.STDOUT)] == [
            (b"mine", "s1", "7"),
            (b"whose?", "", ""),
        ]


def test_pieces_of_a_line_become_one_record() -> None:
    with World() as world:
        with InFlight("s1", "7"):
            print("a", "b", end=" ")
            print("c")
            print("no newline", end="")
        assert [item.data for item in world.records.of(Kind.STDOUT)] == [b"a b c", b"no newline"]


def test_a_line_without_end_is_cut() -> None:
    with World() as world:
        print("x" * (2 * LINE_LIMIT + 5))
        assert [len(item.data) for item in world.records.of(Kind.STDOUT)] == [LINE_LIMIT, LINE_LIMIT, 5]


def test_more_than_the_capacity_of_a_pipe_can_be_printed() -> None:
    with World() as world:
        for _ in range(100):
            os.write(1, b"x" * 9999 + b"\n")
        world.stdio_guard.close()
        assert sum(len(item.data) + 1 for item in world.records.of(Kind.STDOUT)) == 1_000_000


def test_a_call_ends_though_a_child_of_it_prints_without_end() -> None:
    with World():
        with InFlight("s1", "7"):
            child = subprocess.Popen(["yes"])
        child.kill()
        child.wait()


def test_secrets_are_masked_on_their_way_to_stderr() -> None:
    with World() as world:
        world.tap.masker.set({"KEY": "hunter22"})
        print("it is hunter22")
        print("it is hunter22", file=sys.stderr)
        assert world.standard.stderr() == b"it is <secret KEY>\nit is <secret KEY>\n"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_secret_that_is_written_in_pieces_is_masked_on_its_way_to_stderr(stream: str) -> None:
    with World() as world:
        world.tap.masker.set({"KEY": "hunter2-hunter2"})
        with InFlight("s1", "7"):
            for piece in ("it is hunt", "er2-hun", "ter2", "!\n", "or hunter2-", "hunter2"):
                getattr(sys, stream).write(piece)
                getattr(sys, stream).flush()
        assert world.standard.stderr() == b"it is <secret KEY>!\nor <secret KEY>\n"


@pytest.mark.parametrize("end", ["\n", " and so on"])
def test_a_secret_across_the_cut_of_a_long_line_is_masked(end: str) -> None:
    for before in range(LINE_LIMIT - 16, LINE_LIMIT + 2):
        with World() as world:
            world.tap.masker.set({"KEY": "hunter2-hunter2"})
            sys.stdout.write("x" * before + "hunter2")
            sys.stdout.write("-hunter2" + "y" * 2 * LINE_LIMIT + end)
            world.stdio_guard.close()
            data = [item.data for item in world.records.of(Kind.STDOUT)]
            assert b"".join(data) == b"x" * before + b"<secret KEY>" + b"y" * 2 * LINE_LIMIT + end.encode().strip(b"\n")
            assert max(map(len, data)) <= LINE_LIMIT + len("<secret KEY>")


def test_output_of_python_to_stderr_is_recorded_and_forwarded() -> None:
    with World() as world:
        with InFlight("s1", "7"):
            print("a complaint", file=sys.stderr)
        assert [(item.data, item.call) for item in world.records.of(Kind.STDERR)] == [(b"a complaint", "7")]
        assert world.standard.stderr() == b"a complaint\n"


COMPLAINERS = {
    "sys.stderr": lambda text: print(text, file=sys.stderr),
    "sys.__stderr__": lambda text: print(text, file=sys.__stderr__, flush=True),
    "the descriptor": lambda text: os.write(2, f"{text}\n".encode()),
    "the descriptor, in pieces": lambda text: [os.write(2, bytes((item,))) for item in f"{text}\n".encode()],
    "a child process": lambda text: subprocess.run(["sh", "-c", f"echo {text} >&2"], check=True),
    "a child process with sys.stderr": lambda text: subprocess.run(["echo", text], check=True, stdout=sys.stderr),
    "a child process that opens it": lambda text: subprocess.run(["sh", "-c", f"echo {text} >/dev/stderr"], check=True),
}


@each_row("complain", COMPLAINERS.values(), ids=COMPLAINERS.keys())
def test_a_secret_that_is_written_to_stderr_in_any_way_is_masked_in_its_record_and_beyond(
    complain: Callable[[str], object],
) -> None:
    with World() as world:
        world.tap.masker.set({"KEY": "hunter22"})
        with InFlight("s1", "7"):
            complain("hunter22")
        assert [(item.data, item.call) for item in world.records.of(Kind.STDERR)] == [(b"<secret KEY>", "7")]
        assert world.standard.stderr() == b"<secret KEY>\n"


def test_text_written_to_stderr_in_different_ways_stays_in_order() -> None:
    with World() as world:
        for number in range(50):
            os.write(2, b"a%d\n" % number)
            print(f"b{number}", file=sys.stderr)
        assert world.standard.stderr().split() == [b"%c%d" % (c, n) for n in range(50) for c in b"ab"]


@pytest.mark.parametrize("write", [lambda data: os.write(2, data), lambda data: sys.stderr.buffer.write(data)])
async def test_a_prompt_without_newline_arrives_without_the_beginning_of_a_secret(
    write: Callable[[bytes], object],
) -> None:
    with World() as world:
        world.tap.masker.set({"KEY": "hunter2-hunter2"})
        write(b"Password: ")
        await until(lambda: world.standard.stderr() == b"Password: ")
        write(b"\r50%, it is hunter2-hu")
        await until(lambda: world.standard.stderr() == b"Password: \r50%, it is ")
        write(b"nter2, no?")
        write(b"\nhunt\n")
        await until(lambda: world.standard.stderr() == b"Password: \r50%, it is <secret KEY>, no?\nhunt\n")
        lines = [item.data for item in world.records.of(Kind.STDERR)]
        assert lines == [b"Password: \r50%, it is <secret KEY>, no?", b"hunt"]


@pytest.mark.parametrize("end", ["%", "\\", "\\\\"])
async def test_an_unfinished_line_is_shown_up_to_its_end_though_an_escape_may_begin_there(end: str) -> None:
    with World() as world:
        world.tap.masker.set({"KEY": "hunter2-hunter2"})
        sys.stderr.write(f"done: 50{end}")
        await until(lambda: world.standard.stderr() == f"done: 50{end}".encode())
        sys.stderr.write("\n")
        assert world.standard.stderr() == f"done: 50{end}\n".encode()


@pytest.mark.parametrize(
    ("begun", "rest"), [("%", "68unter2-hunter2"), ("\\", "u0068unter2-hunter2"), ("\\\\", "x68unter2-hunter2")]
)
@pytest.mark.parametrize("end", ["!\n", "!"])
async def test_a_secret_is_masked_behind_the_beginning_of_its_first_escape(begun: str, rest: str, end: str) -> None:
    for before in (
        "it is ",
        "",
    ):
        with World() as world:
            world.tap.masker.set({"KEY": "hunter2-hunter2"})
            sys.stderr.write(before + begun)
            await until(lambda line=before + begun: world.standard.stderr() == line.encode())
            sys.stderr.write(rest + end)
            world.stdio_guard.close()
            assert world.standard.stderr() == f"{before}{begun}<secret KEY>!\n".encode()
            assert [item.data for item in world.records.of(Kind.STDERR)] == [f"{before}<secret KEY>!".encode()]


def test_ten_megabytes_on_stderr_block_nothing_when_it_is_not_read() -> None:
    with World() as world:
        script = f"yes {99 * 'x'} | head -c 10000000 >&2"
        with InFlight("s1", "7"):
            subprocess.run(["sh", "-c", script], check=True, timeout=LIMIT)
        assert len(world.records.of(Kind.STDERR)) == 100_000


def test_a_child_outlives_the_stdio_guard_and_may_still_write() -> None:
    with World() as world:
        script = "read line; yes | head -c 1000000 >&2; yes | head -c 1000000; echo a >&2; echo b; exit 7"
        child = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE)
        world.stdio_guard.close()
        child.communicate(b"go\n", timeout=LIMIT)
        assert child.returncode == 7
        assert world.standard.stderr() == world.standard.stdout() == b""


def test_output_left_in_the_pipe_is_recorded_at_the_end() -> None:
    with World() as world:
        world.tap.masker.set({"KEY": "hunter22"})
        os.write(2, b"one\nhunter22")
        world.stdio_guard.close()
        assert world.standard.stderr() == b"one\n<secret KEY>\n"


def test_the_real_stderr_is_restored_when_the_stdio_guard_is_closed() -> None:
    with World() as world:
        world.stdio_guard.close()
        os.write(2, b"out again\n")
        assert world.standard.stderr() == b"out again\n"


def test_stdin_is_at_its_end_and_does_not_read_the_wire() -> None:
    with World() as world:
        os.write(world.standard.to_stdin, b"for the server\n")
        assert os.read(0, 10) == b""
        assert subprocess.run(["cat"], capture_output=True, check=True).stdout == b""
        assert os.read(world.stdio_guard.wire_in, 100) == b"for the server\n"


def test_the_standard_streams_are_restored() -> None:
    before = sys.stdout, sys.stderr
    with World() as world:
        world.stdio_guard.close()
        world.stdio_guard.close()
        assert (sys.stdout, sys.stderr) == before
        os.write(1, b"out again\n")
        assert world.standard.stdout() == b"out again\n"


async def test_a_tool_that_prints_cannot_reach_the_wire() -> None:
    app = MCPApp("printer", "1", toolkit="")

    @app.tool
    def shout() -> str:
        """Print in every way."""
        print("one")
        os.write(1, b"two\n")
        subprocess.run(["echo", "three"], check=True)
        return "done"

    catalog, _ = app.build()
    with World() as world:
        server = Server(world.tap, Settings(shutdown_grace=1), secret_values, app.identity)
        server.swap(generation(catalog, app))
        serving = spawn(
            serve_stdio(
                server,
                stdin_fd=world.stdio_guard.wire_in,
                stdout_fd=world.stdio_guard.wire_out,
                settings=server.settings,
            ),
            "serve stdio",
        )
        lines = (initialize(), INITIALIZED, call("shout", "tools/call", name="shout"))
        os.write(world.standard.to_stdin, b"".join(line + b"\n" for line in lines))
        await until(lambda: world.standard.stdout().count(b"\n") == 2)
        world.standard.close_stdin()
        await within(serving)
        answers = [parse(line) for line in world.standard.stdout().splitlines()]
    assert [getattr(item, "id", None) for item in answers] == [0, "shout"]
    strays = world.records.of(Kind.STDOUT)
    assert sorted(item.data for item in strays) == [b"one", b"three", b"two"]
    assert {(item.session, item.call) for item in strays} == {("s1", '"shout"')}
    answered = next(item for item in world.records.of(Kind.RESPONSE) if b"shout" in item.data)
    assert all(item.seq < answered.seq for item in strays)
