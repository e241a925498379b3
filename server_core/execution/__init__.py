"""Run one call of an author's function: its input, its context, and its result or error.

* :mod:`~server_core.execution.run` - a call of a tool, from its arguments to its result
* :mod:`~server_core.execution.prompts_and_resources` - contents of resources, messages of prompts, completions
* :mod:`~server_core.execution.requirements` - what a call needs before its tool runs;
  :mod:`~server_core.execution.tool_authorization` gets the account
* :mod:`~server_core.execution.context` - what a running function can do
* :mod:`~server_core.execution.failures`, :mod:`~server_core.execution.wire_errors` - how an exception is classified,
  and how it is sent to the client; :mod:`~server_core.execution.tracebacks` is for the author
* :mod:`~server_core.execution.wire_results` - results in the form of each revision, and their size
* :mod:`~server_core.execution.observation` - what is recorded about a call while a terminal is attached;
  :mod:`~server_core.execution.outgoing_http` records the HTTP requests of a tool
* :mod:`~server_core.execution.running_calls` - the requests in flight, and that of the current task or thread
"""
