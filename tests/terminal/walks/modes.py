"""What a walk opens: the demo project, hard signatures, or a server that someone else wrote."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import scaffolds
from tests.interop.pairs import EVERYTHING, NPM, SERVERS
from tests.peers.node import NODE_BINARY

HARD = Path(__file__).parent / "hard"

_ERAS = {"demo": ("modern", "legacy"), "hard": ("modern", "legacy"), "foreign": ("auto", "legacy")}


@dataclass(frozen=True, slots=True)
class Mode:
    """What a walk opens, and in which era.

    Attributes:
        project: "demo", "hard" or "foreign".
        era: the era of the terminal's own calls.
    """

    project: str
    era: str

    @classmethod
    def of(cls, seed: int) -> "Mode":
        """Return the mode of a seed: the modes alternate."""
        project = tuple(_ERAS)[seed % len(_ERAS)]
        return cls(project, _ERAS[project][seed // len(_ERAS) % 2])

    def prepare(self, folder: Path) -> None:
        """Create the folder of the project, in which the walk saves files."""
        if self.project == "foreign":
            folder.mkdir(parents=True)
        else:
            source = HARD if self.project == "hard" else scaffolds.demo_folder()
            shutil.copytree(source, folder, ignore=shutil.ignore_patterns("__pycache__"))

    def arguments(self, folder: Path) -> list[str]:
        """Return the arguments of the command."""
        if self.project == "foreign":
            return ["open", "--era", self.era, "--", *foreign_server()]
        return ["open", str(folder), "--era", self.era]


def foreign_server() -> list[str]:
    """Return the command of server-everything, once `make interop` has installed it; else of the official SDK's."""
    program = NPM / "node_modules" / EVERYTHING / "dist" / "index.js"
    node = str(NODE_BINARY) if NODE_BINARY.exists() else shutil.which("node")
    if node is not None and program.exists():
        return [node, str(program), "stdio"]
    return [sys.executable, str(SERVERS / "official.py")]
