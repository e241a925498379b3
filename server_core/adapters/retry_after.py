"""When a service says one may come again: its headers -> milliseconds."""

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# A reset beyond this is a point in time, not a duration: seconds since 1970, or milliseconds.
_EPOCH_SECONDS = 1e9
_EPOCH_MILLISECONDS = 1e12
# What asks for a longer wait than this means something else.
_LONGEST = 366 * 24 * 3600 * 1000
_NUMBER = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{0,20})?")
_RESETS = ("x-ratelimit-reset", "ratelimit-reset", "x-rate-limit-reset")


def retry_after_ms(headers: Mapping[str, str], clock: Callable[[], float] = time.time) -> int | None:
    """Return how long to wait.

    Args:
        headers: of the answer, with names in lower case.
        clock: seconds since the epoch.

    Returns:
        Milliseconds from now, not below 0; None when the service did not say.

    Source: RFC 9110 section 10.2.3 for Retry-After; the reset headers by custom.
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
    """Return the number that a header says; None when it says none."""
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
