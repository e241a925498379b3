"""Headers of a command line."""

from pathlib import Path

import pytest

from server_core.errors import ConfigurationError
from tests.tables import each_row
from workbench.cli.options import read_header


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("Authorization:Bearer abc", ("Authorization", "Bearer abc")),
        ("X-Key: a:b ", ("X-Key", "a:b")),
        ("X-Key:=?=", ("X-Key", "=?=")),
    ],
)
def test_a_header_is_a_name_and_a_value(text: str, header: tuple[str, str]) -> None:
    assert read_header(text) == header


def test_a_value_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "token.txt"
    path.write_text("Bearer from-a-file\n")
    assert read_header(f"Authorization:@{path}") == ("Authorization", "Bearer from-a-file")


@each_row("text", ["Authorization", ":x", "Na me:x", "X-Key:", "X-Key:a\r\nHost: b", "X-Key:ä", "X:\x00"])
def test_an_invalid_header_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--header"):
        read_header(text)


def test_no_message_repeats_a_value() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_header("Authorization:Bearer sécret")
    assert "cret" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.txt cannot be read"):
        read_header(f"Authorization:@{tmp_path / 'gone.txt'}")
