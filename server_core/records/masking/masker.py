"""Which values are masked: the current values of secrets, and for a while those that they replaced."""

import json
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

# Imported with the first secret: without secrets, it must not delay the first response.
if TYPE_CHECKING:
    from server_core.records.masking.masked_secret import MaskedSecret
    from server_core.records.masking.regions import Region
    from server_core.records.masking.secret_search import SecretSearch

# A replaced value may still be in flight, or in use by a running call.
RENEWED_SECONDS = 24 * 3600.0
MAX_RENEWED = 50


class Masker:
    """Replace the values of secrets, in all of their encoded forms, with their names."""

    def __init__(self, secrets: Mapping[str, str] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.has_secrets = False
        """Whether there is anything to mask."""
        self._clock = clock
        self._lock = threading.Lock()
        self._given: frozenset[_Pair] = frozenset()
        self._renewed: dict[Hashable, list[tuple[frozenset[_Pair], float]]] = {}
        self._secrets: dict[_Pair, MaskedSecret] = {}
        self._search: SecretSearch | None = None
        self.set(secrets or {})

    def set(self, secrets: Mapping[str, str]) -> None:
        """Mask these values, by name, from now on, in addition to earlier values; thread-safe.

        A value that was replaced or removed stays masked, because it may still be in flight. Setting the same values
        again is cheap, so callers need not remember them.
        """
        self._add(_maskable(secrets))

    def set_passwords(self, variables: Mapping[str, str]) -> None:
        """Mask the passwords in the URLs among these values, by name, from now on; thread-safe."""
        self._add(_passwords(variables))

    def _add(self, wanted: "frozenset[_Pair]") -> None:
        with self._lock:
            if wanted <= self._given:
                return
            self._given |= wanted
            self._update_search()

    def renew(self, owner: Hashable, secrets: Mapping[str, str]) -> None:
        """Mask these values, by name, from now on, instead of the owner's earlier values; thread-safe.

        Replaced values stay masked for a day, but only the latest `MAX_RENEWED` of them.
        """
        wanted = _maskable(secrets)
        with self._lock:
            given = self._renewed.get(owner, [])
            if not wanted or (given and given[-1][0] == wanted):
                return
            now = self._clock()
            # The retention of the last values starts when they are replaced: now.
            before = [*given[:-1], *((values, now) for values, _ in given[-1:])]
            recent = [
                (values, replaced)
                for values, replaced in before
                if now - replaced < RENEWED_SECONDS and values != wanted
            ]
            self._renewed[owner] = [*recent[-MAX_RENEWED:], (wanted, now)]
            self._update_search()

    def mask(self, data: bytes, region: "Region | None" = None) -> bytes:
        """Return a text, or a message as JSON, with the values of secrets replaced by `<secret NAME>`.

        JSON stays JSON, with the same keys; a number is replaced by 0. Without a region it is masked as a record.
        """
        return data if self._search is None else self._search.mask(data, region)

    def cut(self, data: bytes, limit: int) -> int:
        """Return where to cut a text so that no value spans the cut; only a single longer value exceeds the limit."""
        if self._search is None or len(data) <= limit:
            return min(limit, len(data))
        return self._search.cut(data, limit)

    def settled_length(self, data: bytes, is_cut_off: bool = False) -> int:
        """Return how many bytes of an unfinished text can be masked now, because no value may have begun in them.

        `is_cut_off`: the rest of the text will not follow.
        """
        return len(data) if self._search is None else self._search.settled_length(data, is_cut_off)

    def presentable_length(self, data: bytes) -> int:
        """Return how many bytes of an unfinished text can be shown: the settled part, and the beginning of an escape.

        They reveal nothing of a value, but a value may begin with them: mask the rest with :meth:`mask_rest`.
        """
        return len(data) if self._search is None else self._search.presentable_length(data)

    def mask_rest(self, data: bytes, shown: int) -> bytes:
        """Return the masked rest of a text after the shown bytes; a value that begins in these is masked as a whole."""
        return data[shown:] if self._search is None else self._search.mask_rest(data, shown)

    @property
    def reach(self) -> int:
        """How many bytes :meth:`cut` needs after a cut: the length of the longest form."""
        return 0 if self._search is None else self._search.reach

    def mask_text(self, text: str) -> str:
        if self._search is None:
            return text
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # Lone surrogates, which cannot occur on a wire.
            data = text.encode("utf-8", "replace")
        return self.mask(data).decode("utf-8", "surrogateescape")

    def mask_value(self, value: Any) -> Any:
        """Return a JSON value, which is data, not a message, with the values of secrets replaced by `<secret NAME>`."""
        if self._search is None:
            return value
        from server_core.records.masking.regions import DATA

        # In a list, because a bare number would be masked as text.
        return json.loads(self.mask(json.dumps([value]).encode(), DATA))[0]

    def _update_search(self) -> None:
        wanted = self._given.union(*(values for given in self._renewed.values() for values, _ in given))
        if not wanted:
            return
        from server_core.records.masking.masked_secret import MaskedSecret
        from server_core.records.masking.secret_search import SecretSearch

        self._secrets = {pair: self._secrets.get(pair) or MaskedSecret(*pair) for pair in wanted}
        self._search = SecretSearch(self._secrets.values())
        self.has_secrets = True


_Pair: TypeAlias = tuple[str, str]
"""Name and value."""


def _maskable(secrets: Mapping[str, str]) -> frozenset[_Pair]:
    return _passwords(secrets).union(pair for pair in secrets.items() if pair[1].strip())


def _passwords(variables: Mapping[str, str]) -> frozenset[_Pair]:
    """Return the passwords in the URLs among some values; the values themselves need not be secret."""
    urls = [(name, value) for name, value in variables.items() if "://" in value and "@" in value]
    if not urls:
        return frozenset()
    from server_core.records.masking.url_passwords import passwords_in

    return frozenset((name, password) for name, value in urls for password in passwords_in(value))
