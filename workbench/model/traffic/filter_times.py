"""Moments in the filter language: a time of day, or a date with or without one, in the local time zone."""

import re
from collections.abc import Callable
from datetime import datetime, time

_TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d{1,6})?)?")


def is_after(text: str) -> Callable[[float], bool]:
    """Return a test for moments, in seconds since the epoch, that are not before the one in the text.

    Raises:
        ValueError: if the text is neither a time of day nor a date.
    """
    if _TIME.fullmatch(text):
        limit = time.fromisoformat(text if text[2] == ":" else f"0{text}")
        return lambda moment: datetime.fromtimestamp(moment).time() >= limit
    try:
        instant = datetime.fromisoformat(text.upper()).timestamp()
    except (OverflowError, OSError) as error:
        raise ValueError(str(error)) from error
    return lambda moment: moment >= instant
