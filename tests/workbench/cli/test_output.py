"""What goes to stdout: data."""

import subprocess
from typing import Any

import pytest

from tests.commands import DEMO, WORKBENCH
from workbench.cli import output


def printed(result: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> str:
    output.print_result(result)
    return capsys.readouterr().out


def text(content: Any) -> dict[str, Any]:
    return {"type": "text", "text": content}


@pytest.mark.parametrize(
    ("result", "out"),
    [
        ({"content": []}, ""),
        ({"content": [text("a\nb"), text("c")]}, "a\nb\nc\n"),
        ({"content": [text("Hello")], "structuredContent": {"result": "Hello"}}, "Hello\n"),
        ({"content": [text("3")], "structuredContent": {"result": 3}}, "3\n"),
        ({"content": [text("[1]")], "structuredContent": {"result": [1]}}, "[\n  1\n]\n"),
        ({"content": [text('{"result": 3}')], "structuredContent": {"result": 3}}, "3\n"),
        ({"content": [text("3")], "structuredContent": {"result": "3"}}, "3\n"),
        ({"content": [text('{"a": 1}')], "structuredContent": {"a": 1}}, '{\n  "a": 1\n}\n'),
        ({"content": [text("It is 1")], "structuredContent": {"a": 1}}, 'It is 1\n{\n  "a": 1\n}\n'),
        ({"structuredContent": [1]}, "[\n  1\n]\n"),
        ({"content": [{"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}]}, "audio/wav audio, 3 B\n"),
        ({"content": [{"type": "resource_link", "uri": "x://y", "name": "y"}]}, "link x://y y\n"),
        ({"content": ["no block"]}, '"no block"\n'),
        ({"content": "none"}, ""),
        ({"content": [text(7)]}, "\n"),
    ],
)
def test_a_result_is_printed_for_people(result: dict[str, Any], out: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(result, capsys) == out


def test_text_is_escaped_for_a_terminal_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert printed({"content": [text("\x1b[31mred")]}, capsys) == "\x1b[31mred\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert printed({"content": [text("\x1b[31mred")]}, capsys) == "\\x1b[31mred\n"


def test_json_escapes_control_characters_only(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"text": "é\x1b\x9b\u202e\ud800😀"})
    assert capsys.readouterr().out == '{\n  "text": "é\\u001b\\u009b\\u202e\\ud800😀"\n}\n'


def test_a_table_has_its_columns_under_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table([("A", "B"), ("long", ""), ("x", "y")])
    output.print_table([])
    assert capsys.readouterr().out == "A     B\nlong\nx     y\n"


@pytest.mark.parametrize("to_full_disk", [False, True])
def test_a_result_is_utf8_in_every_locale_and_a_full_disk_is_reported(
    to_full_disk: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}.items():
        monkeypatch.setenv(name, value)
    command = [*WORKBENCH, "call", "greet", 'name:="Zo\\u00eb"', "--project", str(DEMO)]
    if not to_full_disk:
        done = subprocess.run(command, capture_output=True)
        assert (done.returncode, done.stdout) == (0, "Hello, Zoë!\n".encode())
        return
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: standard output: No space left on device")
