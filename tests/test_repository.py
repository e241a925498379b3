"""What lies in the repository: no addresses of package indexes, pins that pin, links that lead somewhere."""

import re
import subprocess
from pathlib import Path

from tests.tables import each_row

ROOT = Path(__file__).parents[1]

# Put together here, so that this file does not hold what it looks for.
INDEX_ADDRESSES = re.compile(
    "|".join(
        [
            "py" + r"pi\.org/simple",
            "files.python" + r"hosted\.org",
            "registry.npm" + r"js\.org",
            "--(?:extra-)?index" + "-url",
            "--find" + "-links",
            "index" + r"-url\s*=",
            r"resolved\"\s*:\s*\"http",
        ]
    )
)


def tracked() -> list[Path]:
    """Return every file that git knows; without git, every file that it would not ignore by the usual names."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]
    return [path for path in ROOT.rglob("*") if path.is_file() and not any(p.startswith(".") for p in path.parts)]


def documents() -> list[Path]:
    """Return every Markdown page of the project itself."""
    return [path for path in tracked() if path.suffix == ".md"]


def test_no_file_names_the_address_of_a_package_index() -> None:
    lines = []
    for path in tracked():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if INDEX_ADDRESSES.search(line):
                lines.append(f"{path.relative_to(ROOT)}:{number}")
    assert not lines


def test_a_lock_file_would_be_noticed() -> None:
    assert INDEX_ADDRESSES.search('"resolved"' + ': "https://example.org/package.tgz"')
    assert INDEX_ADDRESSES.search("pip install --index" + "-url x")


def test_constraints_hold_names_and_exact_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    odd = [line for line in lines if line and not line.startswith("#") and not re.fullmatch(r"[\w.-]+==[\w.]+", line)]
    assert not odd


def test_every_dependency_is_pinned() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {_normalised(re.split(r"[\[<>=!~ ]", item)[0]) for item in wanted}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {_normalised(line.partition("==")[0]) for line in lines if "==" in line}
    assert names <= pinned


@each_row("page", documents())
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if not re.match(r"[a-z]+:", target)]
    assert [target for target in local if not (page.parent / target).exists()] == []


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
