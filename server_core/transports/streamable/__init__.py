"""Streamable HTTP, the serving side, as an ASGI application without a framework.

* :mod:`~server_core.transports.streamable.checks` - what a request must bring, before anything is done with it
* :mod:`~server_core.transports.streamable.sse` - server-sent events <-> bytes, for both sides
* :mod:`~server_core.transports.streamable.streams` - the messages that wait for one response
* :mod:`~server_core.transports.streamable.sessions` - an MCP session over many HTTP requests
* :mod:`~server_core.transports.streamable.endpoint` - POST, GET and DELETE
* :mod:`~server_core.transports.streamable.exchange` - one ASGI request and its response

Specification: basic/transports, Streamable HTTP.
"""
