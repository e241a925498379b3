"""Packages: found by their metadata, looked through without importing them, and toolkits under Arcade's names."""

import importlib
import logging
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from server_core import ToolCatalog, Toolkit
from server_core.errors import ToolkitLoadError
from server_core.loading.package_search import installed_packages, packages_by_name
from server_core.loading.packages import package_by_name
from tests.server_core.catalog.installing import Site, site_at, tool

pytestmark = pytest.mark.promises("discovery", "tool packages")

MORE = """\
Summary: Sums and more.
Author-email: Ada <ada@example.org>
Project-URL: Homepage, https://math.example
Project-URL: Repository, https://math.example/source
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with site_at(tmp_path) as site:
        yield site


def test_a_toolkit_comes_from_the_metadata_and_the_files_of_its_package(site: Site) -> None:
    files = {
        "arcade_math/__init__.py": "raise SystemExit('imported')\n",
        "arcade_math/tools/__init__.py": "",
        "arcade_math/tools/sums.py": tool("add") + "@tool\ndef double() -> None: ...\n",
        "arcade_math/tools/test_sums.py": tool("never"),
        "arcade_math/dist/old.py": tool("never"),
        "arcade_math/helpers.py": "x = 1\n",
    }
    site.install("arcade_math", files, more=MORE)
    toolkit = Toolkit.from_package("arcade_math")
    assert toolkit == Toolkit("math", "1.2.0", "Sums and more.", "arcade_math")
    assert toolkit.tools == {"arcade_math.tools.sums": ("add", "double")}
    assert toolkit.authors == toolkit.author == ("Ada <ada@example.org>",)
    assert (toolkit.homepage, toolkit.repository) == ("https://math.example", "https://math.example/source")
    assert "arcade_math" not in sys.modules


def test_a_package_may_have_another_name_than_its_module_and_be_a_single_file(site: Site) -> None:
    site.install("my-kit", {"words.py": tool("say")})
    toolkit = Toolkit.from_package("my-kit")
    assert (toolkit.name, toolkit.pascal_name, toolkit.tools) == ("my_kit", "MyKit", {"words": ("say",)})


def test_a_toolkit_is_loaded_by_a_module_of_it(site: Site) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": "", "arcade_math/sums.py": tool("add")})
    module = importlib.import_module("arcade_math.sums")
    assert Toolkit.from_module(module).tools == {"arcade_math.sums": ("add",)}


def test_the_tools_of_a_toolkit_are_added_to_a_catalog(site: Site) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": "", "arcade_math/sums.py": tool("add")})
    catalog = ToolCatalog()
    catalog.add_toolkit(Toolkit.from_package("arcade_math"))
    (added,) = catalog
    assert (str(added.fully_qualified_name), added.version, added.meta.package) == ("Math.Add", "1.2.0", "arcade_math")
    with pytest.raises(ToolkitLoadError, match="Tool 'Add' in server 'math' already exists in the catalog"):
        catalog.add_toolkit(Toolkit.from_package("arcade_math"))


def test_a_module_that_cannot_be_imported_is_an_error_when_it_is_added(site: Site) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": "", "arcade_math/sums.py": "import nothing\n" + tool("a")})
    with pytest.raises(ToolkitLoadError, match=r"Could not import module arcade_math\.sums\. Reason: No module named"):
        ToolCatalog().add_toolkit(Toolkit.from_package("arcade_math"))


def test_invalid_toolkits_are_refused_with_arcades_messages(site: Site) -> None:
    with pytest.raises(ToolkitLoadError, match=r"^Package 'nothing' not found\.$"):
        Toolkit.from_package("nothing")
    site.install("arcade_empty", {"arcade_empty/__init__.py": ""})
    with pytest.raises(ToolkitLoadError, match=r"^No tools found in package arcade_empty$"):
        Toolkit.from_package("arcade_empty")
    site.install("arcade_broken", {"arcade_broken/a.py": tool("a") + "def b(:\n"})
    with pytest.raises(ToolkitLoadError, match=r"^Could not import module arcade_broken\.a\. Reason: invalid syntax"):
        Toolkit.from_package("arcade_broken")
    site.install("arcade_gone", {})
    with pytest.raises(ToolkitLoadError, match=r"^Failed to locate package directory for 'arcade_gone'"):
        Toolkit.from_package("arcade_gone")


@pytest.mark.parametrize("layout", ["src/kit", "kit"])
def test_a_toolkit_is_read_from_the_folder_of_its_project(tmp_path: Path, layout: str) -> None:
    (tmp_path / layout).mkdir(parents=True)
    (tmp_path / layout / "words.py").write_text(tool("say"))
    with pytest.raises(ToolkitLoadError, match=r"pyproject\.toml not found in"):
        Toolkit.from_directory(tmp_path)
    project = (
        "[project]\nname = 'kit'\nversion = '3.1'\nauthors = [{name = 'Ada'}]\nurls = {Homepage = 'https://a.b'}\n"
    )
    (tmp_path / "pyproject.toml").write_text(project)
    toolkit = Toolkit.from_directory(tmp_path)
    assert (toolkit.name, toolkit.version, toolkit.author) == ("kit", "3.1", ("Ada",))
    assert (toolkit.homepage, toolkit.tools) == ("https://a.b", {"kit.words": ("say",)})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[project]\nversion = '1'\n", "name not found in pyproject.toml"),
        ("not toml [", "Failed to load metadata from"),
        ("project = 3\n", "Failed to load metadata from"),
        ("[project]\nname = 'kit'\nauthors = 'Ada'\n", "Failed to load metadata from"),
    ],
)
def test_a_project_without_metadata_has_no_toolkit(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ToolkitLoadError, match=why):
        Toolkit.from_directory(tmp_path)


def test_the_program_that_runs_is_left_out(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"arcade_math/__main__.py": tool("never"), "arcade_math/sums.py": tool("add")}
    place = site.install("arcade_math", files)
    main = SimpleNamespace(__file__=str(place / "arcade_math" / "__main__.py"), __spec__=None)
    monkeypatch.setitem(sys.modules, "__main__", main)  # type: ignore[arg-type]
    assert Toolkit.from_package("arcade_math").tools == {"arcade_math.sums": ("add",)}
    skipped = dict(package_by_name("arcade_math").discover().skipped)
    assert skipped[place / "arcade_math" / "__main__.py"] == "it is the program that runs"


def test_a_package_is_chosen_by_its_name_with_or_without_the_prefix(site: Site) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": tool("add")})
    site.install("math_too", {"math_too/__init__.py": tool("add")})
    assert package_by_name("Math").facts.package_name == "arcade_math"
    assert package_by_name("arcade-math").facts.package_name == "arcade_math"
    assert package_by_name("math-too").facts.package_name == "math_too"
    search = packages_by_name(["math", "nothing", "arcade_math"])
    assert [package.module for package in search.packages] == ["arcade_math"]
    assert str(search.failures["nothing"]) == "Package 'nothing' not found."


def test_installed_toolkits_are_discovered_by_entry_point_and_by_name_without_duplicates(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    site.install("sums", {"sums/__init__.py": tool("add")}, entry="arcade_numbers")
    site.install("arcade_words", {"arcade_words/__init__.py": tool("say")}, entry="arcade_words")
    site.install("arcade_plain", {"arcade_plain/__init__.py": tool("be")})
    site.install("arcade_empty", {"arcade_empty/__init__.py": ""})
    site.install("arcade_tdk", {"arcade_tdk/__init__.py": tool("never")})
    site.install("other", {"other/__init__.py": tool("never")})
    search = installed_packages()
    assert sorted(package.facts.name for package in search.packages) == ["numbers", "plain", "words"]
    assert list(search.failures) == ["arcade_empty"]
    with caplog.at_level(logging.WARNING):
        assert sorted(toolkit.name for toolkit in Toolkit.find_all_arcade_toolkits()) == ["numbers", "plain", "words"]
    assert "arcade_empty is skipped: No tools found in package arcade_empty" in caplog.text


def test_an_entry_point_of_no_package_is_refused() -> None:
    with pytest.raises(ToolkitLoadError, match="does not have distribution metadata"):
        Toolkit.from_entrypoint(EntryPoint("toolkit_name", "arcade_x", "arcade_toolkits"))


def test_an_editable_package_is_known_by_where_its_files_lie(site: Site) -> None:
    site.install("arcade_math", {"arcade_math/__init__.py": tool("add")}, editable=True)
    site.install("arcade_words", {"arcade_words/__init__.py": tool("say")})
    assert package_by_name("math").is_editable
    assert not package_by_name("words").is_editable
