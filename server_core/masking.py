"""Secrets in bytes -> the names of the secrets: applied once, where records are made."""

import base64
import json
import re
from collections.abc import Mapping

# Shorter values would hide half of the traffic, and are no secrets worth the name.
SHORTEST = 4


class Masker:
    """Replace the values of secrets, in every form in which they travel, by their names.

    Args:
        secrets: name -> value of each secret that is set.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        self._names: dict[bytes, bytes] = {}
        self._pattern: re.Pattern[bytes] | None = None
        self.set(secrets or {})

    def set(self, secrets: Mapping[str, str]) -> None:
        """Mask these values from now on, in addition to those given before.

        A value that was replaced or removed stays masked: it may still be in flight.

        Args:
            secrets: name -> value.
        """
        names = dict(self._names)
        for name, value in secrets.items():
            if len(value) >= SHORTEST:
                names |= dict.fromkeys(_forms(value), _label(name, value))
        if names:
            longest_first = sorted(names, key=len, reverse=True)
            self._pattern = re.compile(b"|".join(map(_guarded, longest_first)))
        self._names = names

    def mask(self, data: bytes) -> bytes:
        """Return the bytes with every secret's value replaced by `<secret NAME>`."""
        if self._pattern is None:
            return data
        return self._pattern.sub(lambda match: self._names[match.group()], data)

    def mask_text(self, text: str) -> str:
        """Return the text with every secret's value replaced by `<secret NAME>`."""
        if self._pattern is None:
            return text
        return self.mask(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def _forms(value: str) -> set[bytes]:
    """The ways in which a value is written: plain, JSON-escaped, percent-encoded, base64."""
    # Imported here: a server without secrets must not wait for it before its first answer.
    from urllib.parse import quote

    plain = value.encode("utf-8", "surrogateescape")
    return {
        plain,
        json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "surrogateescape"),
        json.dumps(value)[1:-1].encode(),
        quote(plain, safe="").encode(),
        base64.b64encode(plain),
        base64.urlsafe_b64encode(plain),
    }


def _label(name: str, value: str) -> bytes:
    # A number may stand bare in JSON, where a name would not parse.
    return b"0" if value.isdecimal() else f"<secret {name}>".encode("ascii", "replace")


def _guarded(form: bytes) -> bytes:
    return rb"(?<!\d)" + form + rb"(?!\d)" if form.isdigit() else re.escape(form)
