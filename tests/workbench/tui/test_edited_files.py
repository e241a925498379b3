"""The files that the palette opens in the editor."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import terminal, toasts
from tests.workbench.tui.fakes import FakeLink
from workbench.tui.app import WorkbenchApp
from workbench.tui.palette_entries import edit_config, edit_saved_calls
from workbench.workspace.config_file import config_path


@pytest.fixture(autouse=True)
def shown_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app in a test has no terminal to leave."""

    @contextmanager
    def suspend(app: WorkbenchApp) -> Iterator[None]:
        yield

    monkeypatch.setattr(WorkbenchApp, "suspend", suspend)


def writes(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Use an editor that writes a text into the file."""
    code = f"import sys; open(sys.argv[-1], 'w').write({text!r})"
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, "-c", code]))


async def test_the_theme_of_an_edited_configuration_is_used_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with terminal(FakeLink(), pane="secrets") as (_, app):
        writes(monkeypatch, 'theme = "nord"\n[keys]\nrestart = "f10"\n')
        edit_config(app)
        await until(lambda: app.theme == "nord")
        await until(lambda: "The new keys are those of the next terminal." in toasts(app))
        assert 'restart = "f10"' in config_path().read_text()


async def test_a_mistake_in_the_configuration_is_shown_until_it_is_mended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with terminal(FakeLink(), pane="secrets") as (_, app):
        writes(monkeypatch, "theme = 5\n")
        edit_config(app)
        await until(lambda: "line 1: theme must be a text" in toasts(app))
        writes(monkeypatch, 'theme = "nord"\n')
        edit_config(app)
        await until(lambda: toasts(app) == "")


async def test_the_saved_calls_are_edited_in_their_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    async with terminal(FakeLink(), pane="secrets") as (_, app):
        writes(monkeypatch, "calls:\n")
        edit_saved_calls(app)
    assert (tmp_path / "workbench.yaml").read_text() == "calls:\n"


async def test_the_palette_offers_both_files() -> None:
    from workbench.tui.palette_entries import entries

    async with terminal(FakeLink(), pane="secrets") as (_, app):
        assert {"Edit config.toml", "Edit workbench.yaml"} <= {entry.label for entry in entries(app)}
