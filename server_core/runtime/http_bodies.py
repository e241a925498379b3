"""The bodies of HTTP responses, as they cross the network: nothing that was received takes more memory than was sent.

What is compressed could unpack to anything, a few kilobytes to gigabytes where it is compressed twice. So every request
says that it wants none of it, and a response that is compressed all the same is refused unread.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

NOT_COMPRESSED = {"Accept-Encoding": "identity"}
"""The header of every request. Source: RFC 9110 section 12.5.3."""


class CompressedBody(ValueError):
    """A body is compressed, although the request said that it should not be."""


class BodyTooLong(ValueError):
    """A body is longer than the limit."""


def check_coding(response: "httpx.Response") -> None:
    """Check that a body comes as it is, before it is read.

    Raises:
        CompressedBody: when it does not.
    """
    codings = {one.strip().lower() for one in response.headers.get("content-encoding", "").split(",")}
    if codings - {"", "identity"}:
        raise CompressedBody("the answer is compressed, although it was asked not to be")


async def read_body(response: "httpx.Response", limit: int) -> bytes:
    """Return a body.

    Args:
        response: of which nothing was read yet.
        limit: how long it may be, in bytes.

    Raises:
        CompressedBody: before anything is read.
        BodyTooLong: as soon as more than that has come.
    """
    check_coding(response)
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise BodyTooLong
    return b"".join(pieces)
