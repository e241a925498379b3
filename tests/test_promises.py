"""Each promise of Arcade's framework has a test, and the page that lists them is up to date."""

from pathlib import Path

import pytest

from scripts import promises


def test_every_promise_has_a_test() -> None:
    assert set(promises.PROMISES) == set(promises.proofs(promises.ROOT / "tests"))


def test_the_page_lists_the_tests_of_each_promise(capsys: pytest.CaptureFixture[str]) -> None:
    assert promises.main(["--check"]) == 0, capsys.readouterr().out


def test_an_unknown_promise_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text('pytestmark = pytest.mark.promises("app", "flight")\n')
    with pytest.raises(ValueError, match="flight"):
        promises.proofs(tmp_path)
