"""Keep the secrets that a tool was given out of what it tells its client by the way.

What a tool returns is its answer, and goes out as it is; log messages and progress are read by whoever watches, and
kept by clients.
"""

from collections.abc import Mapping
from typing import Any

from server_core.records.masking import Masker


def mask_secrets(value: Any, secrets: Mapping[str, str]) -> Any:
    """Return a value with every secret in it replaced by `<secret NAME>`; the same object where there are no secrets.

    Args:
        value: a text, or a JSON value.
        secrets: name -> value of what must not be in it.
    """
    if not secrets:
        return value
    masker = Masker(secrets)
    return masker.mask_text(value) if isinstance(value, str) else masker.mask_value(value)
