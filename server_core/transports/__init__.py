"""The transports: memory, stdio, Streamable HTTP, WebSocket.

A transport carries whole messages as bytes and does not interpret them. The server side passes each message to a
session, which sends its messages through an :class:`~server_core.transports.channel.Outlet`; the client side is a
:class:`~server_core.transports.channel.Channel`.
"""
