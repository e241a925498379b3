"""The list of a folder of tools at a git revision: from a copy in a temporary folder, listed by another process.

The work tree and the index are not changed. Another process, because this one may have imported modules of the folder.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from server_core.errors import ConfigurationError
from workbench.cli import console
from workbench.cli.earlier_list import EarlierList
from workbench.model.short_text import escaped

# In a hook of git they name the repository of the hook; ours is that of the folder.
_OF_HOOKS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")


def list_at(project: Path, revision: str) -> EarlierList:
    """Return what a folder or file of tools offered at a revision; ConfigurationError when that cannot be listed."""
    project = project.resolve()
    folder = project if project.is_dir() else project.parent
    if not folder.is_dir():
        raise ConfigurationError(f"{project} does not exist")
    commit = _commit(folder, revision)
    # The same name: a folder may give its name to its tools.
    with TemporaryDirectory(prefix="workbench-lint-") as temporary:
        copy = Path(temporary, folder.name or "tools")
        copy.mkdir()
        _extract(folder, commit, revision, copy)
        return _listed(copy if project.is_dir() else copy / project.name, revision)


def _commit(folder: Path, revision: str) -> str:
    if _git(folder, "rev-parse", "--is-inside-work-tree").returncode:
        raise ConfigurationError(f"{folder} is in no git repository, so --since has nothing to compare with")
    result = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if result.returncode:
        raise ConfigurationError(f"git knows no revision {revision!r} in {folder}; `git log --oneline` lists them")
    return result.stdout.decode().strip()


def _extract(folder: Path, commit: str, revision: str, copy: Path) -> None:
    """Write the files of a folder at a commit into an empty folder."""
    # In a folder of the repository, an archive has the files of that folder.
    result = _git(folder, "archive", "--format=tar", commit)
    if result.returncode:
        reason = escaped(result.stderr.decode("utf-8", "replace").strip())
        raise ConfigurationError(f"{folder} cannot be read at {revision}; it may be newer. git: {reason}")
    with tarfile.open(fileobj=io.BytesIO(result.stdout)) as archive:
        archive.extractall(copy, filter="data")


def _listed(project: Path, revision: str) -> EarlierList:
    command = [sys.executable, "-P", "-m", "workbench", "list", "--project", str(project), "--json"]
    result = subprocess.run(command, cwd=project.parent, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    messages = result.stderr.decode("utf-8", "replace").replace(f"{project}{os.sep}", f"{revision}:").splitlines()
    if result.returncode:
        raise ConfigurationError(f"the tools at {revision} cannot be listed: {escaped(' '.join(messages[-1:]))}")
    # What could not be loaded is missing in the list, so it would count as new.
    for message in messages:
        if ": error: " in message:
            console.write(escaped(message))
    return EarlierList.of(json.loads(result.stdout), revision)


def _git(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    environment = {name: value for name, value in os.environ.items() if name not in _OF_HOOKS}
    command: Sequence[str] = ("git", *arguments)
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except FileNotFoundError as error:
        raise ConfigurationError("--since needs git, which is not on the path") from error
