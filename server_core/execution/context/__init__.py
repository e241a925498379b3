"""The context of a running tool, and its connection to the client that called it.

* :mod:`~server_core.execution.context.call` - the life cycle of one call
* :mod:`~server_core.execution.context.context` - the context, with a module for each of its parts:

  * requests to the client: ``elicitation`` (with ``forms``), ``sampling``, and ``client`` for roots
  * notifications to the client: ``logs``, ``progress``
  * requests to its own server (``nested_requests``), and notifications of all clients: ``own_server``
  * information about the call and its client: ``facts``, ``client``
  * the same for functions that run on threads: ``blocking``
  * the connection to the client, and the keys of requests to it: ``client_port``

* :mod:`~server_core.execution.context.tool_context` - a context without a client, for tests
"""
