"""Public names are imported when they are first used, in each package in the same way."""

from importlib import import_module

import pytest

from tests.tables import each_row

PACKAGES = (
    "server_core", "server_core.errors", "server_core.resource_server", "server_core.settings", "workbench.testing",
)  # fmt: skip


@each_row("package", PACKAGES)
def test_every_public_name_is_there_and_listed(package: str) -> None:
    module = import_module(package)
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        assert getattr(module, name) is not None


@each_row("package", PACKAGES)
def test_a_name_is_looked_up_once(package: str) -> None:
    module = import_module(package)
    for name in set(module.__all__) - {"settings"}:
        getattr(module, name)
        assert name in vars(module)


def test_settings_are_read_on_each_access(monkeypatch: pytest.MonkeyPatch) -> None:
    from server_core import settings

    monkeypatch.setenv("MCP_SERVER_NAME", "first")
    assert settings.settings.server.name == "first"
    monkeypatch.setenv("MCP_SERVER_NAME", "second")
    assert settings.settings.server.name == "second"


@each_row("package", PACKAGES)
def test_other_names_are_missing_as_in_any_module(package: str) -> None:
    with pytest.raises(AttributeError, match=f"^module '{package}' has no attribute 'unknown'$"):
        _ = import_module(package).unknown
