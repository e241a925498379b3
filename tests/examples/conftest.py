"""Every example is tried with a client of each era: one with sessions, and one without."""

import pytest

SESSIONS, STATELESS = "2025-11-25", "2026-07-28"


@pytest.fixture(params=[SESSIONS, STATELESS])
def revision(request: pytest.FixtureRequest) -> str:
    """The revision that the client of this run speaks."""
    return str(request.param)
