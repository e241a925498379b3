"""How messages travel: memory, stdio, Streamable HTTP, WebSocket.

A transport moves whole messages as bytes and knows nothing of what they say. The serving side hands each message
to a session and gives it an :class:`~server_core.transports.channel.Outlet` to answer through; the connecting side
is a :class:`~server_core.transports.channel.Channel`.
"""
