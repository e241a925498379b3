"""The names of a call's questions, where questions travel in results: each names one question and no other."""


class InputRequestKeys:
    """The names that one call, or one task, has given; the same ones in every run of a tool that asks the same."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def new(self, method: str, wanted: str = "") -> str:
        """Return a name that no question had before.

        Args:
            method: of the question.
            wanted: the name that the author gave it; made from the method and its order where it is empty.
        """
        name = wanted or method.rpartition("/")[0] or method
        key, count = (name, 1) if wanted else (f"{name}-1", 1)
        while key in self._given:
            count += 1
            key = f"{name}-{count}"
        self._given.add(key)
        return key
