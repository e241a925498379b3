"""What answers clients, and what it tells them unasked.

* :mod:`~server_core.serving.session_facts` - what is known of sessions, whoever serves them
* :mod:`~server_core.serving.server` - one catalog, served to every client
* :mod:`~server_core.serving.sessions` - a client on one connection; up to 2025-11-25 it shakes hands
* :mod:`~server_core.serving.questions` - what a session asks its client
* :mod:`~server_core.serving.stateless` - requests without a session
* :mod:`~server_core.serving.exchange` - one such call and its rounds, from 2026-07-28 on
* :mod:`~server_core.serving.rounds`, :mod:`~server_core.serving.request_state` - calls that wait for their client
* :mod:`~server_core.serving.work`, :mod:`~server_core.serving.queueing` - what is worked on, and what waits
* :mod:`~server_core.serving.answering`, :mod:`~server_core.serving.calling` - one function a method
* :mod:`~server_core.serving.handshake`, :mod:`~server_core.process.early` - who we are, and the first answer of all
* :mod:`~server_core.serving.news`, :mod:`~server_core.serving.listening` - what clients are told unasked
* :mod:`~server_core.serving.gathering` - the answers of a batch
* :mod:`~server_core.serving.pages`, :mod:`~server_core.serving.caching` - lists, and how long they hold
* :mod:`~server_core.serving.relay` - another server behind the same tap
* :mod:`~server_core.serving.served` - what a core serves: a project, an app, or a relay
"""
