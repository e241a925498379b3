"""Every example is tried with a client of each era: with sessions, and without."""

import pytest

SESSIONS, STATELESS = "2025-11-25", "2026-07-28"


@pytest.fixture(params=[SESSIONS, STATELESS])
def revision(request: pytest.FixtureRequest) -> str:
    """The revision of the client in this run."""
    return str(request.param)
