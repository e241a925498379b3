"""A clock that tests set."""


class Clock:
    """Returns seconds that only a test changes."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
