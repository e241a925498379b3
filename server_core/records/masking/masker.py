"""Which values are masked: those that are known, and for a while those that they replaced."""

import json
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

# What masks is imported with the first secret: a server without any must not wait for it before its first answer.
if TYPE_CHECKING:
    from server_core.records.masking.known import Known
    from server_core.records.masking.regions import Region
    from server_core.records.masking.secret import Secret

# What was renewed may still be in flight, or in the hands of a call that runs on.
RENEWED_SECONDS = 24 * 3600.0
MOST_RENEWED = 50


class Masker:
    """Replace the values of secrets, in every form in which they travel, by their names.

    Args:
        secrets: name -> value of each secret that is set.
        clock: seconds that only grow.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.has_secrets = False
        """Whether there is anything to mask."""
        self._clock = clock
        self._lock = threading.Lock()
        self._given: frozenset[_Pair] = frozenset()
        self._renewed: dict[Hashable, list[tuple[frozenset[_Pair], float]]] = {}
        self._secrets: dict[_Pair, Secret] = {}
        self._known: Known | None = None
        self.set(secrets or {})

    def set(self, secrets: Mapping[str, str]) -> None:
        """Mask these values from now on, in addition to those given before.

        A value that was replaced or removed stays masked: it may still be in flight. What is masked already costs
        next to nothing, so callers need not remember what they gave. Safe on any thread.

        Args:
            secrets: name -> value.
        """
        wanted = _worth_masking(secrets)
        with self._lock:
            if wanted <= self._given:
                return
            self._given |= wanted
            self._apply()

    def renew(self, which: Hashable, secrets: Mapping[str, str]) -> None:
        """Mask these values from now on, in place of those that were given before for the same thing.

        What they replace stays masked for a day, and of what is replaced more often than that, the latest
        `MOST_RENEWED`. Safe on any thread.

        Args:
            which: what the values belong to: the account of somebody, say.
            secrets: name -> value.
        """
        wanted = _worth_masking(secrets)
        with self._lock:
            given = self._renewed.get(which, [])
            if not wanted or (given and given[-1][0] == wanted):
                return
            now = self._clock()
            # The time of what was given last counts from when it is replaced: now.
            before = [*given[:-1], *((values, now) for values, _ in given[-1:])]
            recent = [one for one in before if now - one[1] < RENEWED_SECONDS and one[0] != wanted]
            self._renewed[which] = [*recent[-MOST_RENEWED:], (wanted, now)]
            self._apply()

    def mask(self, data: bytes, region: "Region | None" = None) -> bytes:
        """Return a text, or a message as JSON, with every secret's value replaced by `<secret NAME>`.

        What is JSON stays JSON, with the same keys; a number is replaced by 0.

        Args:
            data: its bytes.
            region: what part of a message it is, if it is JSON; a record when not given.
        """
        return data if self._known is None else self._known.mask(data, region)

    def cut(self, data: bytes, limit: int) -> int:
        """Return where a text may be cut so that no value lies across the cut: at a limit, or as near as can be.

        Args:
            data: its bytes.
            limit: how long the first piece should be; it is longer only where a single value is.
        """
        if self._known is None or len(data) <= limit:
            return min(limit, len(data))
        return self._known.cut(data, limit)

    def settled(self, data: bytes, is_cut_off: bool = False) -> int:
        """Return how many bytes of an unfinished text can be masked now: behind them, a value may have begun.

        Args:
            data: its bytes.
            is_cut_off: it remains unfinished.
        """
        return len(data) if self._known is None else self._known.settled(data, is_cut_off)

    def presentable(self, data: bytes) -> int:
        """Return how many bytes of an unfinished text can be shown: what is settled, and an escape's beginning.

        They say nothing of a value, but one may begin with them: mask what follows with :meth:`mask_behind`.

        Args:
            data: its bytes.
        """
        return len(data) if self._known is None else self._known.presentable(data)

    def mask_behind(self, data: bytes, shown: int) -> bytes:
        """Return the masked rest of a text, of which so much has been shown; a value that began there is masked whole.

        Args:
            data: its bytes.
            shown: as many as :meth:`presentable` has returned.
        """
        return data[shown:] if self._known is None else self._known.mask_behind(data, shown)

    @property
    def reach(self) -> int:
        """How many bytes behind a cut have to be known for :meth:`cut` to find it: those of the longest form."""
        return 0 if self._known is None else self._known.reach

    def mask_text(self, text: str) -> str:
        """Return the text with every secret's value replaced by `<secret NAME>`."""
        if self._known is None:
            return text
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # Halves of characters, which no text on a wire can have.
            data = text.encode("utf-8", "replace")
        return self.mask(data).decode("utf-8", "surrogateescape")

    def mask_value(self, value: Any) -> Any:
        """Return a JSON value, which is somebody's data, with every secret's value replaced by `<secret NAME>`."""
        if self._known is None:
            return value
        from server_core.records.masking.regions import DATA

        # In a list, because a number by itself would be masked as a text is.
        return json.loads(self.mask(json.dumps([value]).encode(), DATA))[0]

    def _apply(self) -> None:
        """Look for what is known from now on, and for nothing else."""
        wanted = self._given.union(*(values for given in self._renewed.values() for values, _ in given))
        if not wanted:
            return
        from server_core.records.masking.known import Known
        from server_core.records.masking.secret import Secret

        self._secrets = {pair: self._secrets.get(pair) or Secret(*pair) for pair in wanted}
        self._known = Known(self._secrets.values())
        self.has_secrets = True


_Pair: TypeAlias = tuple[str, str]
"""Name and value."""


def _worth_masking(secrets: Mapping[str, str]) -> frozenset[_Pair]:
    return frozenset(pair for pair in secrets.items() if pair[1].strip())
