"""A small folder of tools, for tests of what serves it."""

from pathlib import Path

TOOLS = '''\
from server_core import Context, tool


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def shout(text: str) -> str:
    """Print, and shout."""
    print("printed by shout")
    return text.upper()


@tool(requires_secrets=["API_KEY"])
def show_secret(context: Context) -> str:
    """Return a secret."""
    return context.get_secret("API_KEY")
'''


def small_project(folder: Path) -> Path:
    """Write the tools into a folder and return it."""
    folder.mkdir(exist_ok=True)
    # Secrets are looked for upward to the nearest of these.
    (folder / "pyproject.toml").write_text('[project]\nname = "small"\nversion = "1.0"\n')
    (folder / "tools.py").write_text(TOOLS)
    return folder
