"""Streamable HTTP, the serving side, as an ASGI application without a framework.

The path of a request:

* :mod:`~server_core.transports.streamable.connections` - the connections of our own server, and their limits
* :mod:`~server_core.transports.streamable.endpoint` - the application: checks every request, and dispatches it
* :mod:`~server_core.transports.streamable.checks` - checks of Host, Origin and media types
* :mod:`~server_core.transports.streamable.stateful` - requests of sessions: POST, GET and DELETE
* :mod:`~server_core.transports.streamable.stateless` - requests without a session: POST only

Sessions and streams:

* :mod:`~server_core.transports.streamable.sessions` - one MCP session over many HTTP requests
* :mod:`~server_core.transports.streamable.session_registry` - all sessions; :mod:`.clients` - clients without one
* :mod:`~server_core.transports.streamable.streams` - the messages for one response
* :mod:`~server_core.transports.streamable.event_store` - stores events; :mod:`.sqlite_events` - across restarts
* :mod:`~server_core.transports.streamable.event_responses` - sends a stream as server-sent events

Shared modules: :mod:`.http_exchange` (one ASGI request and its response), :mod:`.expiring_map` and :mod:`.deadlines`
(idle sessions and slow requests), :mod:`.body_budget`, :mod:`.records`, :mod:`.statuses`, :mod:`.principals`,
:mod:`.lifespan`.

Specification: basic/transports, Streamable HTTP.
"""
