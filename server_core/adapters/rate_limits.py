"""Read rate limits from the headers of a response: whether a limit is reached, and how long to wait."""

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any

from server_core.runtime.safe_text import call_safely, safe_str

MAX_HEADERS = 1000
"""How many headers are read; a mapping of a library may be endless."""

# A reset beyond this is a point in time, not a duration: seconds since 1970, or milliseconds.
_EPOCH_SECONDS = 1e9
_EPOCH_MILLISECONDS = 1e12
# A longer wait than this is a value with another meaning.
_MAX_WAIT = 366 * 24 * 3600 * 1000
# Not all that `float` accepts, such as `nan`, `inf` and `1e999`.
_NUMBER = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{0,20})?")
_RESETS = ("x-ratelimit-reset", "ratelimit-reset", "x-rate-limit-reset")


def lower_case_headers(headers: Any) -> dict[str, str]:
    """Return the headers of an untrusted response with names in lower case, and one text for each."""
    # None, or an object that raises when it is read, counts as no headers.
    return call_safely(
        lambda: {_text(name).lower(): _header_text(value) for name, value in islice(headers.items(), MAX_HEADERS)},
        lambda _: {},
    )


def is_rate_limit(status: int, headers: Mapping[str, str]) -> bool:
    """Return whether a response means that a rate limit is reached; the names of headers are in lower case."""
    # GitHub, among others, uses 403 for rate limits as well as for missing permissions.
    if status != 403:
        return status == 429
    limits = {name: value for name, value in headers.items() if "ratelimit" in name or "rate-limit" in name}
    is_spent = any(name.endswith("remaining") and _number(value) == 0 for name, value in limits.items())
    return is_spent or (_number(headers.get("retry-after") or "0") != 0 and bool(limits))


def retry_after_ms(headers: Mapping[str, str], clock: Callable[[], float] = time.time) -> int | None:
    """Return how long to wait, in milliseconds from now and not below 0; None if the headers do not specify it.

    Source: RFC 9110 section 10.2.3 for Retry-After; the reset headers are a convention.
    """
    now = clock()
    if (wait := _duration(headers.get("retry-after", ""), now)) is not None:
        return wait
    if (value := _number(headers.get("x-ratelimit-reset-ms", ""))) is not None:
        return _milliseconds(value - now * 1000 if value >= _EPOCH_MILLISECONDS else value)
    for name in _RESETS:
        if (wait := _duration(headers.get(name, ""), now)) is not None:
            return wait
    return None


def _duration(text: str, now: float) -> int | None:
    if (value := _number(text)) is not None:
        if value >= _EPOCH_MILLISECONDS:
            return _milliseconds(value - now * 1000)
        return _milliseconds((value - now if value >= _EPOCH_SECONDS else value) * 1000)
    moment = _moment(text)
    return None if moment is None else _milliseconds((moment - now) * 1000)


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def _moment(text: str) -> float | None:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):  # Malformed dates raise all of these.
            continue
    return None


def _milliseconds(wait: float) -> int | None:
    return max(0, round(wait)) if wait <= _MAX_WAIT else None


def _header_text(value: Any) -> str:
    if isinstance(value, list | tuple | set | frozenset):  # Some libraries have a list of values for each name.
        value = next(iter(value), "")
    return _text(value)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else safe_str(value)
