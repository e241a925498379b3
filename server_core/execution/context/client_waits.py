"""The time that a call waits for its client: for the answers of a user, or of a model."""

from time import perf_counter


class ClientWaits:
    """Measures the time in which at least one request to the client is open; a `with` block is one request."""

    def __init__(self) -> None:
        self.seconds = 0.0
        """Of all waits that have ended."""
        self._open = 0
        self._since = 0.0

    def __enter__(self) -> None:
        if not self._open:
            self._since = perf_counter()
        self._open += 1

    def __exit__(self, *error: object) -> None:
        self._open -= 1
        if not self._open:
            self.seconds += perf_counter() - self._since
