"""Libraries of others for Python, in an environment of their own, so that what they need meets nothing that we pin.

It is made when it is first needed, from the names and versions in `python.txt`.
"""

import subprocess
import sys
from pathlib import Path

PINNED = Path(__file__).with_name("python.txt")
FOLDER = Path(__file__).parents[2] / ".cache" / "peers"


def python() -> str:
    """Return the interpreter that has them.

    Raises:
        SystemExit: when something is missing and pip cannot bring it.
    """
    interpreter, installed = FOLDER / "bin" / "python", FOLDER / "installed.txt"
    pinned = PINNED.read_text(encoding="utf-8")
    if not installed.exists() or installed.read_text(encoding="utf-8") != pinned:
        print(f"Installing {PINNED} into {FOLDER}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        install = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if subprocess.run([*install, "--requirement", str(PINNED)], check=False, stdout=sys.stderr).returncode:
            sys.exit(f"pip could not install {PINNED} (its output is above); nothing that needs it can run.")
        installed.write_text(pinned, encoding="utf-8")
    return str(interpreter)


def version_of(package: str) -> str:
    """Return the version of a library that is pinned.

    Raises:
        KeyError: when it is not.
    """
    lines = PINNED.read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line)[package]
