"""What somebody who wrote an unknown name may have meant."""

from collections.abc import Iterable


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known name that is most like this one, whatever the case of its letters; None when none is.

    Args:
        name: what was written.
        known: the names that there are.
        likeness: from which on one is meant; 1 is the same.
    """
    from difflib import get_close_matches

    folded = {one.casefold(): one for one in known}
    close = get_close_matches(name.casefold(), folded, n=1, cutoff=likeness)
    return folded[close[0]] if close else None
