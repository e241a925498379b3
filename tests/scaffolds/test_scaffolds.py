"""Templates become projects; the demo's copy belongs to the user who edits it."""

import inspect
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import scaffolds
from server_core.errors import ConfigurationError
from server_core.loading.package_source import open_project


@pytest.fixture(params=sorted(scaffolds.templates()))
def template(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_new_project_carries_its_own_name_everywhere(template: str, tmp_path: Path) -> None:
    project = scaffolds.create(template, "tea_house", tmp_path / "tea")
    texts = [path.read_text(encoding="utf-8") for path in project.rglob("*") if path.is_file()]
    assert not [text for text in texts if scaffolds.SENTINEL in text or 'title="Café"' in text]
    assert tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"] == "tea_house"


def test_a_new_project_passes_its_own_tests(template: str, tmp_path: Path) -> None:
    project = scaffolds.create(template, "tea_house", tmp_path / "tea")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_new_project_contains_no_caches_and_no_secrets(
    template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = scaffolds.create(template, scaffolds.SENTINEL, tmp_path / "origin")
    (origin / ".env").write_text("SUPPLIER_KEY=s3cret\n", encoding="utf-8")
    (origin / "tools" / "__pycache__").mkdir()
    (origin / "tools" / "__pycache__" / "text.pyc").write_bytes(b"\xff")
    monkeypatch.setattr(scaffolds, "templates", lambda: {template: origin})
    project = scaffolds.create(template, "tea_house", tmp_path / "tea")
    assert not (project / ".env").exists()
    assert not (project / "tools" / "__pycache__").exists()
    assert (project / ".env.example").is_file()


def test_a_new_project_may_have_hyphens_in_its_name(template: str, tmp_path: Path) -> None:
    project = open_project(scaffolds.create(template, "tea-house", tmp_path / "tea"))
    generation = project.load()
    project.source.leave()
    assert (generation.identity.name, generation.problems) == ("tea-house", ())
    assert all("-" not in name for name in generation.catalog.tools)


def test_a_template_is_described_where_it_is_chosen(template: str) -> None:
    from workbench.cli import new

    assert f"`{template}`, " in inspect.getsource(new.command)


def test_an_empty_folder_may_become_a_project(template: str, tmp_path: Path) -> None:
    assert (scaffolds.create(template, "tea_house", tmp_path) / "pyproject.toml").is_file()


@pytest.mark.parametrize(
    "name", ["", "Tea", "1st", "-tea", "tea-", "tea--house", "_tea", "tea_", "tea__house", "thé", "../tea", "tea\n"]
)
def test_a_name_that_no_server_may_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not a valid project name"):
        scaffolds.create("demo", name, tmp_path / "tea")
    assert not (tmp_path / "tea").exists()


@pytest.mark.parametrize(
    ("name", "valid"),
    [("Tea House 2", "tea_house_2"), ("Tea-House 2", "tea-house-2"), ("1st", "st"), ("thé!", "th"), ("1", "my_tools")],
)
def test_a_name_that_is_refused_has_the_nearest_valid_name_beside_it(name: str, valid: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=f": {valid}$"):
        scaffolds.create("demo", name, tmp_path / "tea")


def test_an_unknown_template_is_refused_with_the_names_of_all(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no template named 'dmo'; choose from: .*demo"):
        scaffolds.create("dmo", "tea_house", tmp_path / "tea")


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="not an empty folder"):
        scaffolds.create("demo", "tea_house", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "tea").write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="not an empty folder"):
        scaffolds.create("demo", "tea_house", tmp_path / "tea")


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="cannot create the project"):
        scaffolds.create("demo", "tea_house", tmp_path / "file" / "tea")


def test_the_demo_runs_from_a_copy_that_users_may_edit() -> None:
    copy = scaffolds.demo_project()
    assert copy != scaffolds.demo_folder()
    assert (copy / "server.py").read_bytes() == (scaffolds.demo_folder() / "server.py").read_bytes()
    assert os.access(copy / "server.py", os.W_OK)


def test_an_edited_demo_stays_as_it_is() -> None:
    edited = scaffolds.demo_project() / "tools" / "basics.py"
    edited.write_text("# mine\n", encoding="utf-8")
    assert scaffolds.demo_project() == edited.parent.parent
    assert edited.read_text(encoding="utf-8") == "# mine\n"


def test_an_unedited_demo_follows_the_installed_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = scaffolds.demo_project()
    (copy / "__pycache__").mkdir()
    newer = scaffolds.create("demo", scaffolds.SENTINEL, tmp_path / "newer")
    (newer / "tools" / "extra.py").write_text('"""More."""\n', encoding="utf-8")
    monkeypatch.setattr(scaffolds, "demo_folder", lambda: newer)
    assert (scaffolds.demo_project() / "tools" / "extra.py").is_file()
