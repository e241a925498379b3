"""How long to wait before a retry, in all forms of headers that services use."""

import pytest

from server_core.adapters.rate_limits import retry_after_ms
from tests.tables import each_row

pytestmark = pytest.mark.promises("error adapters")

NOW = 1_767_225_600.0  # 2026-01-01T00:00:00Z


def test_the_time_to_wait_is_read_from_the_headers() -> None:
    for headers, wait in (
        ({}, None),
        ({"retry-after": "60"}, 60_000),
        ({"retry-after": "1.5"}, 1500),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "-5"}, 0),
        ({"retry-after": "Thu, 01 Jan 2026 00:01:00 GMT"}, 60_000),
        ({"retry-after": "Wed, 31 Dec 2025 00:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1_000"}, None),
        ({"retry-after": "\u0966\u0967"}, None),
        ({"retry-after": "9" * 5000}, None),
        ({"retry-after": "1 Jan 99999 00:00:00 GMT"}, None),
        ({"retry-after": "0001-01-01T00:00:00+23:59"}, 0),
        ({"x-ratelimit-reset": "30"}, 30_000),
        ({"x-ratelimit-reset": str(int(NOW) + 30)}, 30_000),
        ({"x-ratelimit-reset": str((int(NOW) + 30) * 1000)}, 30_000),
        ({"x-ratelimit-reset": "2026-01-01T00:00:30Z"}, 30_000),
        ({"x-ratelimit-reset-ms": "250"}, 250),
        ({"x-ratelimit-reset-ms": str((int(NOW) + 30) * 1000)}, 30_000),
        ({"ratelimit-reset": "5"}, 5000),
        ({"retry-after": "1", "x-ratelimit-reset": "9"}, 1000),
        ({"retry-after": "soon", "x-ratelimit-reset": "9"}, 9000),
    ):
        assert retry_after_ms(headers, lambda: NOW) == wait


@each_row("text", ["1e300", "40000000", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_an_absurd_wait_is_ignored(text: str) -> None:
    assert retry_after_ms({"retry-after": text}, lambda: NOW) is None
