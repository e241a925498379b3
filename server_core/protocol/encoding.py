"""The JSON text of results, with a fast path for results of a single text block, which takes a third of the time."""

from json.encoder import encode_basestring
from typing import Any

from server_core.protocol import jsonrpc


def encode_result(result: dict[str, Any]) -> bytes:
    """Return the JSON text of a result.

    Raises:
        ValueError, TypeError: as :func:`jsonrpc.encode` does.
    """
    content = result.get("content")
    if type(content) is list and len(content) == 1 and len(result) == 1:
        block = content[0]
        if type(block) is dict and len(block) == 2 and block.get("type") == "text":
            text = block.get("text")
            if type(text) is str:
                try:
                    return b'{"content":[{"type":"text","text":%b}]}' % encode_basestring(text).encode()
                except UnicodeEncodeError:
                    pass  # It contains half of a surrogate pair, which the encoder handles.
    return jsonrpc.encode(result)
