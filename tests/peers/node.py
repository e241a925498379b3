"""Packages of npm, each in a folder of its own, and the Node.js that runs them: many machines have an older one."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(__file__).parents[2] / ".cache"
NODE = "node@22"
NODE_BINARY = CACHE / "node" / "node_modules" / "node" / "bin" / "node"


def node() -> str:
    """Return the Node.js.

    Raises:
        SystemExit: when it is not there, and npm cannot bring it.
    """
    if not NODE_BINARY.exists():
        install(CACHE / "node", NODE)
    return str(NODE_BINARY)


def install(folder: Path, *packages: str) -> None:
    """Install packages into a folder, unless they are there; other versions of them are replaced.

    Args:
        folder: gets a `node_modules`.
        packages: names and versions, as `NAME@VERSION`.

    Raises:
        SystemExit: when something is missing and npm cannot bring it.
    """
    installed = folder / "installed.json"
    if installed.exists() and json.loads(installed.read_text(encoding="utf-8")) == list(packages):
        return
    names = " ".join(packages)
    print(f"Installing {names} into {folder}", file=sys.stderr)
    if shutil.which("npm") is None:
        sys.exit(f"{names} is not installed, and npm, which would install it, is not on the PATH.")
    folder.mkdir(parents=True, exist_ok=True)
    # `--prefix` with a package.json of its own: without one npm looks for a project further up.
    (folder / "package.json").write_text("{}\n", encoding="utf-8")
    command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel", "error", *packages]
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode:
        sys.exit(f"npm could not install {names} (its output is above); nothing that needs it can run.")
    installed.write_text(json.dumps(packages), encoding="utf-8")


def version_of(folder: Path, package: str) -> str:
    """Return the version of a package that is installed in a folder."""
    described = json.loads((folder / "node_modules" / package / "package.json").read_text(encoding="utf-8"))
    return str(described["version"])
