"""What the tests share."""

import pytest


@pytest.fixture
def workbench_secrets() -> dict[str, str]:
    """The secrets that are set in tests; those of this machine are not."""
    return {"SUPPLIER_KEY": "s3cret-key"}
