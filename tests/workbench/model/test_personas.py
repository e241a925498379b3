"""Personas: the known clients, and those of `workbench.yaml` with the mistakes in them."""

import pytest

from server_core.protocol.revisions import REVISIONS
from tests.tables import each_row
from workbench.model.personas import KNOWN_PERSONAS, Personas, parse_personas


def test_the_known_clients_have_a_revision_of_ours_and_declare_what_it_has() -> None:
    default, *others = KNOWN_PERSONAS
    assert (default.capabilities, default.is_default) == (None, True)
    for persona in others:
        assert persona.revision in REVISIONS
        assert persona.capabilities is not None
        assert persona.capabilities.keys() <= {"roots", "sampling", "elicitation"}
        assert persona.summary


def test_a_persona_of_a_project_may_begin_with_a_known_client() -> None:
    text = (
        "personas:\n  old:\n    like: vscode\n    revision: 2025-03-26\n    capabilities: {}\n    roots: [file:///a]\n"
    )
    old = parse_personas(text).find("old")
    assert (old.client_info["name"], old.revision, old.capabilities) == ("Visual Studio Code", "2025-03-26", {})
    assert old.roots == ({"uri": "file:///a"},)
    assert old.summary == "no capability"


def test_a_persona_that_does_not_exist_is_named_with_a_suggestion() -> None:
    with pytest.raises(ValueError, match="there is no persona 'curser'; did you mean cursor"):
        Personas().find("curser")


@each_row(
    ("text", "problem"),
    [
        ("5", "write `like: NAME`"),
        ("{lik: vscode}", "there is no lik; did you mean like?"),
        ("{like: nobody}", "there is no persona 'nobody'"),
        ("{revision: 2020-01-01}", "revision is one of 2024-11-05"),
        ("{client: {version: 1}}", "client needs a name"),
        ("{capabilities: {roots: true}}", "each capability is a mapping"),
        ("{roots: /a}", "roots must be a list of URIs"),
    ],
)
def test_a_mistake_in_a_persona_has_its_line(text: str, problem: str) -> None:
    read = parse_personas(f"personas:\n  a: {text}\n  b: {{like: minimal}}\n")
    assert read.problems[0].startswith("line 2: a: ")
    assert problem in read.problems[0]
    assert read.find("b").capabilities == {}
