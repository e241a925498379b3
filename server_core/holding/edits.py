"""What an operator passes on in place of a message: its text, checked.

A text that no peer could read is sent only on purpose. Secrets are masked in what operators see, so a text with the
name of a masked secret would be sent with that name: also only on purpose.
"""

from server_core.errors import ConfigurationError
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import MalformedMessage

_MASKED = b"<secret "


def edited_bytes(text: str, *, is_masked: bool, on_purpose: bool) -> bytes:
    """Return the bytes of an edited message; ConfigurationError if it is invalid, and not sent on purpose.

    Args:
        text: what the operator wrote.
        is_masked: whether secrets were masked in the message that the operator saw.
        on_purpose: send it whatever it is; only line breaks are refused, since they separate messages on stdio.
    """
    data = text.encode("utf-8", "replace")
    message = jsonrpc.parse(data)
    if isinstance(message, MalformedMessage) and not on_purpose:
        raise ConfigurationError(
            f"The text is not a valid message ({message.message}); correct it, or send it as it is on purpose (--raw)."
        )
    if is_masked and _MASKED in data and not on_purpose:
        raise ConfigurationError(
            "The text contains the name of a masked secret, which would be sent instead of its value; replace it, or"
            " send it as it is on purpose (--raw)."
        )
    if isinstance(jsonrpc.decode(data), MalformedMessage):
        if b"\n" in data or b"\r" in data:
            raise ConfigurationError("A text that is not JSON cannot contain line breaks, which separate messages.")
        return data
    # Outside of strings, where JSON has none, line breaks are only whitespace.
    return data.replace(b"\r", b" ").replace(b"\n", b" ")
