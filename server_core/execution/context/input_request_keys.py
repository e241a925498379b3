"""Unique keys for the requests to the client that are part of a result."""


class InputRequestKeys:
    """The keys of one call or task; deterministic, so that a tool that runs again gets the same keys."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def new(self, method: str, wanted: str = "") -> str:
        """Return an unused key.

        Args:
            method: the method of the request.
            wanted: the key that the author asked for; if empty, it is generated from the method.
        """
        name = wanted or method.rpartition("/")[0] or method
        key, count = (name, 1) if wanted else (f"{name}-1", 1)
        while key in self._given:
            count += 1
            key = f"{name}-{count}"
        self._given.add(key)
        return key
