"""One call of an author's function: what it is given, what it can do, and what becomes of it.

* :mod:`~server_core.execution.run` - a call of a tool, from its arguments to its result
* :mod:`~server_core.execution.result_size` - how long a result may be
* :mod:`~server_core.execution.resource_contents`, :mod:`~server_core.execution.prompt_messages` - a resource, the
  messages of a prompt
* :mod:`~server_core.execution.completion` - proposals for an argument
* :mod:`~server_core.execution.invocation` - a call of any function of an author's
* :mod:`~server_core.execution.requirements` - what a call needs before its tool runs; ``authorizing`` asks for accounts
* :mod:`~server_core.execution.context` - what a running function can do
* :mod:`~server_core.execution.failures`, :mod:`~server_core.execution.wire_errors` - what an exception is, and how
  clients are told of it
* :mod:`~server_core.execution.running_calls` - which call runs here
"""
