"""The links between the pages of the documentation, and to their pictures."""

import re
from pathlib import Path

from tests.tables import each_row

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@each_row("page", PAGES)
def test_a_page_links_only_to_files_that_exist(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    files = [link for link in links if "://" not in link and not link.startswith("mailto:")]
    assert [link for link in files if not (page.parent / link).exists()] == []


def test_every_picture_is_shown_on_a_page() -> None:
    texts = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    pictures = [picture.name for picture in (ROOT / "docs" / "screenshots").glob("*.svg")]
    assert [name for name in pictures if f"screenshots/{name})" not in texts] == []
