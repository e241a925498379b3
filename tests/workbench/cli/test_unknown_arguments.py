"""Arguments that a tool does not have are named, with the parameter that may be meant."""

import pytest

from workbench.cli.unknown_arguments import warn_of_unknown

SCHEMA = {"type": "object", "properties": {"name": {}, "loud": {}}, "additionalProperties": False}


def test_a_misspelt_argument_is_named_with_the_parameter_that_is_meant(capfd: pytest.CaptureFixture[str]) -> None:
    warn_of_unknown({"nme": "Ada", "loud": True}, SCHEMA)
    assert "the tool has no parameter nme; did you mean name?" in capfd.readouterr().err


def test_an_argument_like_none_is_named_with_all_parameters(capfd: pytest.CaptureFixture[str]) -> None:
    warn_of_unknown({"xyz": 1}, SCHEMA)
    assert "the tool has no parameter xyz; it has name, loud." in capfd.readouterr().err


def test_a_schema_that_allows_further_arguments_is_respected(capfd: pytest.CaptureFixture[str]) -> None:
    warn_of_unknown({"nme": "Ada"}, {"type": "object", "properties": {"name": {}}})
    assert capfd.readouterr().err == ""
