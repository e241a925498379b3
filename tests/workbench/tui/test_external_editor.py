"""The command lines of editors with a file and a line."""

import signal
import subprocess
import sys

import pytest

from workbench.tui.external_editor import editor_command, interrupts_end_the_editor


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
