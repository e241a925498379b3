"""The servers of others, in an environment of their own, so that what they need meets nothing that we pin.

It is made when a benchmark first needs it, under the ignored folder `.cache`, from the names and versions in
`peers.txt`.
"""

import subprocess
import sys
from pathlib import Path

PINNED = Path(__file__).with_name("peers.txt")
FOLDER = Path(__file__).parent.parent / ".cache" / "peers"


def python() -> str:
    """Return the interpreter that has them.

    Raises:
        subprocess.CalledProcessError: when they cannot be installed.
    """
    interpreter, installed = FOLDER / "bin" / "python", FOLDER / "installed.txt"
    pinned = PINNED.read_text(encoding="utf-8")
    if not installed.exists() or installed.read_text(encoding="utf-8") != pinned:
        print(f"installing what is compared with into {FOLDER} ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        install = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "--requirement", str(PINNED)], check=True, stdout=sys.stderr)
        installed.write_text(pinned, encoding="utf-8")
    return str(interpreter)
