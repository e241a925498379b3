"""Streamable HTTP, the serving side, as an ASGI application without a framework.

What comes in, in its order:

* :mod:`~server_core.transports.streamable.connections` - the connections of our own server, and what bounds them
* :mod:`~server_core.transports.streamable.endpoint` - the application: what every request must bring, who serves it
* :mod:`~server_core.transports.streamable.checks` - Host, Origin, media types
* :mod:`~server_core.transports.streamable.stateful` - requests of sessions: POST, GET and DELETE
* :mod:`~server_core.transports.streamable.stateless` - requests without a session: POST alone

Sessions and streams:

* :mod:`~server_core.transports.streamable.sessions` - one MCP session over many HTTP requests
* :mod:`~server_core.transports.streamable.session_registry` - all of them; :mod:`.clients` those that have none
* :mod:`~server_core.transports.streamable.streams` - the messages that wait for one response
* :mod:`~server_core.transports.streamable.event_store` - where they are kept; :mod:`.sqlite_events` beyond a restart
* :mod:`~server_core.transports.streamable.event_responses` - a stream as server-sent events

What they stand on: :mod:`.exchange` (one ASGI request and its response), :mod:`.sse` (events <-> bytes),
:mod:`.lapsing` and :mod:`.deadlines` (idleness and slowness), :mod:`.records`, :mod:`.principals`, :mod:`.lifespan`.

Specification: basic/transports, Streamable HTTP.
"""
