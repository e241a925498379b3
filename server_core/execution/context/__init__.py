"""The context of a running tool, and its connection to the client that called it.

* :mod:`~server_core.execution.context.call` - the life cycle of one call
* :mod:`~server_core.execution.context.context` - the context, with a module for each of its parts:

  * requests to the client: ``elicitation`` (with ``forms``), ``sampling``, ``roots``
  * notifications to the client: ``logs``, ``progress``, ``notifications``
  * requests to its own server (``nested_requests``): ``tools``, ``resources``, ``prompts``
  * information about the call: ``facts``
  * aliases: ``client``, ``older_spellings``
  * the same for functions that run on threads: ``blocking``
  * the connection to the client: ``client_port``, and the keys of requests to it: ``input_request_keys``
"""
