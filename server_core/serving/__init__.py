"""What answers clients, and what it tells them unasked.

* :mod:`~server_core.serving.session_info` - what is known of sessions, whoever serves them
* :mod:`~server_core.serving.server` - one catalog, served to every client
* :mod:`~server_core.serving.sessions` - a client on one connection; up to 2025-11-25 it shakes hands
* :mod:`~server_core.serving.server_requests` - what a session asks its client
* :mod:`~server_core.serving.stateless` - requests without a session
* :mod:`~server_core.serving.stateless_call` - one such call and its rounds, from 2026-07-28 on
* :mod:`~server_core.serving.suspended_calls`, :mod:`~server_core.serving.request_state` - calls that wait for their
  client
* :mod:`~server_core.serving.request_scheduler`, :mod:`~server_core.serving.request_queue` - what is worked on, and what
  waits
* :mod:`~server_core.serving.method_table`, :mod:`~server_core.serving.method_handlers` - one function a method
* :mod:`~server_core.serving.handshake`, :mod:`~server_core.process.early_handshake` - who we are, and the first answer
  of all
* :mod:`~server_core.serving.list_changed`, :mod:`~server_core.serving.subscriptions` - what clients are told unasked
* :mod:`~server_core.serving.batch_responses` - the answers of a batch
* :mod:`~server_core.serving.pages`, :mod:`~server_core.serving.cache_hints` - lists, and how long they hold
* :mod:`~server_core.serving.relay` - another server behind the same tap
* :mod:`~server_core.serving.backend` - what a core serves: a project, an app, or a relay
"""
