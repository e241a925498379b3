"""Reading the bodies of HTTP responses without decompression: a body never takes more memory than was sent.

A compressed body could expand to any size: compressed twice, a few kilobytes become gigabytes. So every request
declines compression, and a response that is compressed all the same is refused unread.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

NOT_COMPRESSED = {"Accept-Encoding": "identity"}
"""The header to send with every request. Source: RFC 9110 section 12.5.3."""


class CompressedBody(ValueError):
    """A body is compressed, although the request declined compression."""


class ResponseTooLong(ValueError):
    """A body is longer than the limit."""


def check_not_compressed(response: "httpx.Response") -> None:
    """Raise :class:`CompressedBody` for a response whose body, which has not been read yet, is compressed."""
    codings = {coding.strip().lower() for coding in response.headers.get("content-encoding", "").split(",")}
    if codings - {"", "identity"}:
        raise CompressedBody("the response is compressed, although the request forbids it")


async def read_body(response: "httpx.Response", limit: int) -> bytes:
    """Return the body of an unread response; raise ResponseTooLong as soon as it exceeds the limit, in bytes."""
    check_not_compressed(response)
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise ResponseTooLong
    return b"".join(pieces)
