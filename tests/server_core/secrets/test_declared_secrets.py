"""What is masked before the author's code is imported."""

from pathlib import Path

import pytest

from server_core.core import Core
from server_core.records.masking import Masker
from server_core.records.tap import Kind
from server_core.secrets import SecretStore
from server_core.secrets.declared_secrets import declared_in, readable_variables, values_before_import
from tests.waiting import within

pytestmark = pytest.mark.promises("secrets")

TOOLS = """
import os, pathlib
from server_core import tool

KEYS = ["FROM_A_CONSTANT"]
print(pathlib.Path(__file__).with_name(".env").read_text())
print(os.environ.get("FROM_ENVIRONMENT"))

@tool(requires_secrets=["FROM_ENVIRONMENT", "Plain"])
def first() -> str:
    "First."

@tool(requires_secrets=KEYS)
def second() -> str:
    "Second."
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "tools.py").write_text(TOOLS)
    (folder / ".env").write_text("PLAIN=sesame-1\nDB_PASSWORD=sesame-2\nFROM_A_CONSTANT=sesame-3\nPORT=8000\n")
    return folder


def test_names_are_read_from_the_source_with_those_of_constants(project: Path) -> None:
    assert list(declared_in(project / "tools.py")) == ["FROM_ENVIRONMENT", "Plain", "FROM_A_CONSTANT"]


@pytest.mark.parametrize("source", [b"requires_secrets=[", b"requires_secrets \xff\0", b"x = 1"])
def test_a_file_that_cannot_be_read_declares_nothing(tmp_path: Path, source: bytes) -> None:
    (tmp_path / "tools.py").write_bytes(source)
    assert list(declared_in(tmp_path / "tools.py")) == []
    assert list(declared_in(tmp_path / "none.py")) == []


def test_typical_secret_names_and_stored_values_are_masked(project: Path) -> None:
    secrets = SecretStore(project)
    secrets.set("PLACE", "sesame-4", "vault")
    assert dict(values_before_import([], secrets)) == {"DB_PASSWORD": "sesame-2", "PLACE": "sesame-4"}


def test_passwords_in_urls_of_the_environment_and_of_the_env_file_are_masked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHE_URI", "redis://:tea-12345@cache")
    (project / ".env").write_text("DATABASE_URL=postgres://ada:s3same@db/tea\n")
    masker = Masker()
    masker.set_passwords(readable_variables(SecretStore(project)))
    assert masker.mask_text("postgres://ada:s3same@db/tea tea-12345") == (
        "postgres://<secret DATABASE_URL>@db/tea <secret CACHE_URI>"
    )


def test_the_servers_own_credentials_are_masked_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_SECRETS_KEY", "correct horse")
    (project / ".env").write_text("ARCADE_API_KEY=sesame-6\n")
    assert dict(values_before_import([], SecretStore(project))) == {
        "WORKBENCH_SECRETS_KEY": "correct horse",
        "ARCADE_API_KEY": "sesame-6",
    }


async def test_output_of_the_first_import_shows_no_secret(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from server_core.process.stdio_guard import StdioGuard

    monkeypatch.setenv("FROM_ENVIRONMENT", "sesame-5")
    core = Core(project=project, capture=False, link=False)
    stdio_guard = StdioGuard(core.tap)
    records = core.tap.subscribe(None, lambda: None)
    try:
        await core.start()
        await within(core.wait_loaded())
    finally:
        await core.stop()
        stdio_guard.close()
    printed = [record.data.decode() for record in records.drain() if record.kind is Kind.STDOUT]
    assert "PORT=8000" in "".join(printed)
    assert "<secret FROM_ENVIRONMENT>" in "".join(printed)
    assert "sesame" not in "".join(printed)
