"""The peers are installed once, and a failed installation is reported."""

import json
import sys
from pathlib import Path

import pytest

from tests.interop.pairs import PACKAGES
from tests.peers import node, python


def test_without_npm_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"some-package@1\.0\.0 is not installed, and npm"):
        node.install(tmp_path / "packages", "some-package@1.0.0")


def test_packages_of_the_same_versions_are_not_installed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "installed.json").write_text(json.dumps(["some-package@1.0.0"]), encoding="utf-8")
    node.install(tmp_path, "some-package@1.0.0")
    with pytest.raises(SystemExit, match=r"some-package@1\.0\.1"):
        node.install(tmp_path, "some-package@1.0.1")


def test_a_failure_of_pip_ends_the_run_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = tmp_path / "python.txt"
    pinned.write_text("# none\nno-such-package-at-all==1.0\n", encoding="utf-8")
    monkeypatch.setattr(python, "PINNED", pinned)
    monkeypatch.setattr(python, "FOLDER", tmp_path / "environment")
    # The environment is there at once, and its pip fails.
    monkeypatch.setattr(sys, "executable", "true")
    interpreter = tmp_path / "environment" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    interpreter.chmod(0o755)
    with pytest.raises(SystemExit, match="pip could not install"):
        python.python()
    assert not (tmp_path / "environment" / "installed.txt").exists()


def test_every_peer_has_an_exact_version() -> None:
    lines = python.PINNED.read_text(encoding="utf-8").splitlines()[1:]
    assert all(line.count("==") == 1 for line in lines)
    assert all(package[1:].count("@") == 1 for package in PACKAGES)
    assert python.version_of("mcp") == "2.3.0"
