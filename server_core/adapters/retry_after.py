"""Read from the headers of a response how long to wait before the next request."""

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# A reset beyond this is a point in time, not a duration: seconds since 1970, or milliseconds.
_EPOCH_SECONDS = 1e9
_EPOCH_MILLISECONDS = 1e12
# A longer wait than this is a value with another meaning.
_LONGEST = 366 * 24 * 3600 * 1000
_NUMBER = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{0,20})?")
_RESETS = ("x-ratelimit-reset", "ratelimit-reset", "x-rate-limit-reset")


def retry_after_ms(headers: Mapping[str, str], clock: Callable[[], float] = time.time) -> int | None:
    """Return how long to wait.

    Args:
        headers: the headers of the response, with names in lower case.
        clock: returns seconds since the epoch.

    Returns:
        Milliseconds from now, not below 0; None if the headers do not specify it.

    Source: RFC 9110 section 10.2.3 for Retry-After; the reset headers are a convention.
    """
    now = clock()
    if (wait := _duration(headers.get("retry-after", ""), now)) is not None:
        return wait
    if (value := number(headers.get("x-ratelimit-reset-ms", ""))) is not None:
        return _whole(value - now * 1000 if value >= _EPOCH_MILLISECONDS else value)
    for name in _RESETS:
        if (wait := _duration(headers.get(name, ""), now)) is not None:
            return wait
    return None


def _duration(text: str, now: float) -> int | None:
    if (value := number(text)) is not None:
        if value >= _EPOCH_MILLISECONDS:
            return _whole(value - now * 1000)
        return _whole((value - now if value >= _EPOCH_SECONDS else value) * 1000)
    moment = _moment(text)
    return None if moment is None else _whole((moment - now) * 1000)


def number(text: str) -> float | None:
    """Return the number in a header; None if it is not a number."""
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def _moment(text: str) -> float | None:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None


def _whole(milliseconds: float) -> int | None:
    return max(0, round(milliseconds)) if milliseconds <= _LONGEST else None
