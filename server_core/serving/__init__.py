"""Answers the requests of clients, and notifies them of changes.

* :mod:`~server_core.serving.session_info` - the data and the registry of sessions, common to servers and relays
* :mod:`~server_core.serving.server` - one catalog, served to every client
* :mod:`~server_core.serving.sessions` - a client on one connection; up to 2025-11-25 it begins with a handshake
* :mod:`~server_core.serving.server_requests` - requests from a session to its client
* :mod:`~server_core.serving.stateless` - requests without a session
* :mod:`~server_core.serving.stateless_call` - one such call and its request rounds, from 2026-07-28 on
* :mod:`~server_core.serving.suspended_calls`, :mod:`~server_core.serving.request_state` - calls that wait for input
  from their client
* :mod:`~server_core.serving.request_scheduler` - the requests of a session that run or wait for room
* :mod:`~server_core.serving.method_table`, :mod:`~server_core.serving.method_handlers` - one function per method
* :mod:`~server_core.serving.handshake`, :mod:`~server_core.process.early_handshake` - server info and capabilities, and
  the response to the first request
* :mod:`~server_core.serving.list_changed`, :mod:`~server_core.serving.subscriptions` - notifications of changes
* :mod:`~server_core.serving.batch_responses` - the responses to a batch
* :mod:`~server_core.serving.pages`, :mod:`~server_core.serving.cache_hints` - pages of lists, and how long they are
  valid
* :mod:`~server_core.serving.relay` - another server behind the same tap
* :mod:`~server_core.serving.backend` - what a core serves: a project, an app, or a relay
"""
