"""The Model Context Protocol without I/O: bytes and values in, values out.

Nothing here knows asyncio, sockets, threads or a clock. From the ground up:

* :mod:`~server_core.protocol.framing` - bytes of a stream -> whole lines
* :mod:`~server_core.protocol.jsonrpc` - one line <-> a request, notification, response or error
* :mod:`~server_core.protocol.revisions` - what differs between the revisions of the protocol, as data
* :mod:`~server_core.protocol.methods` - who may send which method, as data
* :mod:`~server_core.protocol.peer` - one end of one connection: ids, lifecycle, what is in flight
"""
