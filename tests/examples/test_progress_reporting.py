"""Each step of a tool is reported while it works."""

import pytest

from tests.examples.progress_reporting import app
from workbench.testing import Client

pytestmark = pytest.mark.promises("context")


async def test_five_steps_are_reported(revision: str) -> None:
    async with Client(app, revision=revision) as client:
        result = await client.call("ProgressReporting_ReportProgress")
    assert result.text == "All 5 steps are done."
    assert [(report.progress, report.total, report.message) for report in result.progress] == [
        (1, 5, "Fetch"),
        (2, 5, "Sort"),
        (3, 5, "Count"),
        (4, 5, "Compare"),
        (5, 5, "Write"),
    ]
