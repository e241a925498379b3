"""The help of a tool on the command line."""

from pathlib import Path

import pytest

from server_core.runtime.paths import captures_folder
from tests.small_project import small_project
from workbench.cli import command_parser, server_session
from workbench.cli.tool_help import tool_help

REGISTER = {
    "name": "register",
    "description": "Register a person.\n\nTwice is harmless.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "person": {"$ref": "#/$defs/Person", "description": "Who it is."},
            "notify": {"type": "boolean", "default": True},
            "a_very_long_name_of_a_parameter": {"type": "integer", "minimum": 1, "description": "How \x1b[2J often."},
        },
        "required": ["person"],
        "$defs": {
            "Person": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "friend": {"$ref": "#/$defs/Person"}},
                "required": ["name"],
            }
        },
    },
}


def test_the_help_of_a_tool_has_its_parameters_with_types_defaults_and_descriptions() -> None:
    lines = tool_help(REGISTER).splitlines()
    assert lines[0] == "Usage: workbench call register [KEY=VALUE...]"
    assert "  Register a person." in lines
    assert "  person <Person>           Who it is.  [required]" in lines
    assert "    name <string>           [required]" in lines
    assert "  notify <boolean>          [default: true]" in lines
    at = lines.index("  a_very_long_name_of_a_parameter <integer>")
    assert lines[at + 1].startswith(" " * 28 + "How ")


def test_a_type_that_contains_itself_ends() -> None:
    assert tool_help(REGISTER).count("friend <Person>") == 2


def test_a_tool_without_parameters_shows_none() -> None:
    text = tool_help({"name": "now"})
    assert text.startswith("Usage: workbench call now\n")
    assert "Parameters" not in text


def test_call_with_a_tool_and_help_prints_the_parameters_and_calls_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = small_project(tmp_path / "small")
    (folder / "tools.py").write_text(
        "from server_core import tool\n\n@tool\ndef shout(text: str, times: int = 2) -> str:\n"
        '    """Repeat a text loudly."""\n    raise SystemExit\n'
    )
    assert command_parser.run(["call", "shout", "--help", "--project", str(folder)], []) == 0
    out = capfd.readouterr().out
    assert "Repeat a text loudly." in out
    assert "text <string>" in out
    assert "[default: 2]" in out
    assert not list(captures_folder().glob("*.capture"))


def test_call_with_help_alone_prints_its_options(capfd: pytest.CaptureFixture[str]) -> None:
    assert command_parser.run(["call", "--help"], []) == 0
    out = capfd.readouterr().out
    assert "--answer" in out
    assert "with a TOOL its parameters" in " ".join(out.split())


def test_a_server_that_does_not_answer_is_explained_and_has_a_limit(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_session, "SILENT_S", 0.05)
    assert command_parser.run(["list", "--timeout", "0.5"], ["sleep", "90"]) != 0
    err = capfd.readouterr().err
    assert "the server does not answer yet; it has 0.5 seconds" in err
    assert "--timeout" in err
    assert "did not answer" in err.split("--timeout", 1)[1]
