"""When the definitions are checked."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from tests.waiting import until
from workbench.model.lint import LintReport
from workbench.workspace import definition_checks
from workbench.workspace.definition_checks import DefinitionChecks


async def test_of_many_changes_only_the_newest_is_checked_and_never_two_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[Any] = []
    free = asyncio.Event()

    async def checked(catalog: Mapping[str, Any]) -> LintReport:
        begun.append(catalog["number"])
        await free.wait()
        return LintReport((), ())

    monkeypatch.setattr(definition_checks, "checked", checked)
    changes: list[str] = []
    checks = DefinitionChecks(lambda: changes.append("checked"))
    checks.start({"number": 0})
    await until(lambda: begun)
    for number in range(1, 50):
        checks.start({"number": number})
    assert (begun, checks.is_running) == ([0], True)
    free.set()
    await until(lambda: not checks.is_running)
    assert (begun, changes) == ([0, 49], ["checked"])
