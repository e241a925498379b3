"""The command lines of editors with a file and a line."""

import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from workbench.tui.external_editor import edit, edit_text, editor_command, interrupts_end_the_editor


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vim", ["vim", "+7", "a b.py"]),
        ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+7", "a b.py"]),
        ("emacs -nw", ["emacs", "-nw", "+7", "a b.py"]),
        ("code", ["code", "--wait", "--goto", "a b.py:7"]),
        ("code --wait", ["code", "--wait", "--goto", "a b.py:7"]),
        ("subl -w", ["subl", "-w", "a b.py:7"]),
        ("hx", ["hx", "a b.py:7"]),
    ],
)
def test_each_editor_gets_the_line_in_its_own_syntax(
    editor: str, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor)
    assert editor_command("a b.py", 7) == command


def test_visual_has_precedence_over_editor_and_vi_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "nano")
    monkeypatch.setenv("VISUAL", "vim")
    assert editor_command("f", 1)[0] == "vim"
    monkeypatch.delenv("EDITOR")
    monkeypatch.delenv("VISUAL")
    assert editor_command("f", 1) == ["vi", "+1", "f"]
    monkeypatch.setenv("EDITOR", "  ")
    assert editor_command("f", 1) == ["vi", "+1", "f"]


async def test_a_variable_that_is_no_command_line_is_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "vim 'mine")
    notices: list[str] = []
    app = App[None]()
    monkeypatch.setattr(app, "notify", lambda text, **_: notices.append(text))
    assert not edit(app, "f", 1)
    assert notices == ["The command of your editor cannot be read: No closing quotation. Set $EDITOR."]


def test_an_interrupt_ends_the_editor_and_not_the_workbench() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts_end_the_editor():
        # The terminal sends it to both.
        ended = subprocess.run([sys.executable, "-c", _INTERRUPT_BOTH], check=False)
    assert ended.returncode == 130
    assert signal.getsignal(signal.SIGINT) is before


_INTERRUPT_BOTH = """
import os, signal, sys
signal.signal(signal.SIGINT, lambda number, frame: sys.exit(130))
os.kill(os.getppid(), signal.SIGINT)
os.kill(os.getpid(), signal.SIGINT)
"""


class EditorApp(App[None]):
    """An app that gives up its screen, and collects its notices."""

    def __init__(self) -> None:
        super().__init__()
        self.notices: list[str] = []

    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield

    def notify(self, message: str, **options: Any) -> None:
        self.notices.append(message)


def use_editor(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let a piece of Python, with the path in `file`, be the editor."""
    monkeypatch.delenv("VISUAL", raising=False)
    code = f"import sys, pathlib; file = pathlib.Path(sys.argv[-1]); {code}"
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, "-c", code]))


def test_a_text_is_returned_as_the_editor_wrote_it(monkeypatch: pytest.MonkeyPatch) -> None:
    use_editor(monkeypatch, "file.write_text(file.read_text().upper() + chr(10))")
    app = EditorApp()
    assert edit_text(app, "grün\ntea", ".txt") == "GRÜN\nTEA"
    assert app.notices == []


def test_nothing_is_lost_when_the_editor_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    use_editor(monkeypatch, "file.write_text('half'); sys.exit(3)")
    app = EditorApp()
    assert edit_text(app, "typed", ".txt") == "typed"
    assert "ended with status 3" in app.notices[0]
    file = Path(app.notices[1].split()[-1].rstrip("."))
    assert file.read_text() == "half"
    file.unlink()
    file.parent.rmdir()


def test_without_an_editor_a_notice_names_the_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    app = EditorApp()
    assert edit_text(app, "typed", ".txt") == "typed"
    assert "export EDITOR=vim" in app.notices[0]
