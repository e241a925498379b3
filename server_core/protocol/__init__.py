"""The Model Context Protocol without I/O: bytes and values in, values out.

Nothing here uses asyncio, sockets, threads or a clock. From the bottom up:

* :mod:`~server_core.protocol.framing` - bytes of a stream -> complete lines
* :mod:`~server_core.protocol.jsonrpc` - one line <-> a request, notification, response or error
* :mod:`~server_core.protocol.revisions` - the differences between the revisions of the protocol, as data
* :mod:`~server_core.protocol.methods` - which side may send which method, as data
* :mod:`~server_core.protocol.peer` - one end of a connection: request ids, lifecycle, requests in flight
"""
