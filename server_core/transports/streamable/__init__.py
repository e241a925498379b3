"""Streamable HTTP, the serving side, as an ASGI application without a framework.

The path of a request:

* :mod:`~server_core.transports.streamable.connections` - the connections of our own server, and their limits
* :mod:`~server_core.transports.streamable.endpoint` - the application: checks every request, and dispatches it
* :mod:`~server_core.transports.streamable.checks` - checks of Host, Origin and media types
* :mod:`~server_core.transports.streamable.session_endpoint` - requests of sessions: POST, GET and DELETE
* :mod:`~server_core.transports.streamable.stateless_endpoint` - requests without a session: POST only

Sessions and streams:

* :mod:`~server_core.transports.streamable.http_session` - one MCP session over many HTTP requests
* :mod:`~server_core.transports.streamable.session_registry` - all sessions
* :mod:`~server_core.transports.streamable.stateless_clients` - the clients without a session
* :mod:`~server_core.transports.streamable.response_streams` - the messages for one response
* :mod:`~server_core.transports.streamable.event_store` - stores events; :mod:`.sqlite_events` - across restarts
* :mod:`~server_core.transports.streamable.responses` - sends one response, or a stream as server-sent events

Shared modules: :mod:`.asgi`, :mod:`.http_exchange` (one ASGI request and its response), :mod:`.http_records`,
:mod:`.expiring_map` (idle sessions), :mod:`.receive_limits` (large and slow requests).

Specification: basic/transports, Streamable HTTP.
"""
