"""Mask a tool's secrets in its log messages and progress notifications.

The result of a tool is not masked, since it is the answer. Log messages and progress are shown to users and stored by
clients.
"""

from collections.abc import Mapping
from typing import Any

from server_core.records.masking import Masker


def mask_secrets(value: Any, secrets: Mapping[str, str]) -> Any:
    """Return a value with every secret in it replaced by `<secret NAME>`; the same object if there are no secrets.

    Args:
        value: a text, or a JSON value.
        secrets: name -> value.
    """
    if not secrets:
        return value
    masker = Masker(secrets)
    return masker.mask_text(value) if isinstance(value, str) else masker.mask_value(value)
