"""A form with fields of every kind."""

import pytest

from tests.workbench.model.forms.booking import BOOKING
from workbench.model.forms.form import Form


@pytest.fixture
def form() -> Form:
    return Form(BOOKING)
