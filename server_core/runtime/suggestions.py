"""Suggestions for unknown names."""

from collections.abc import Iterable


def closest_name(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the most similar known name, ignoring case; None when none has this likeness (1 means equal)."""
    # Imported late: a core without mistakes does not need it.
    from difflib import get_close_matches

    folded = {candidate.casefold(): candidate for candidate in known}
    close = get_close_matches(name.casefold(), folded, n=1, cutoff=likeness)
    return folded[close[0]] if close else None
