"""Each promise of Arcade's framework has a test, and the page that tells which is up to date."""

from pathlib import Path

import pytest

from scripts import promises


def test_every_promise_has_a_test() -> None:
    assert set(promises.PROMISES) == set(promises.proofs(promises.ROOT / "tests"))


def test_the_page_says_which_tests_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert promises.main(["--check"]) == 0, capsys.readouterr().out


def test_a_promise_that_there_is_not_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text('ROWS = ("S999",)\n')
    with pytest.raises(ValueError, match="S999"):
        promises.proofs(tmp_path)
