"""One call of an author's function: what it is given, what it can do, and what becomes of it.

* :mod:`~server_core.execution.run` - a call of a tool, from its arguments to its result
* :mod:`~server_core.execution.invocation` - a call of any function of an author's
* :mod:`~server_core.execution.context` - what a running function can do
* :mod:`~server_core.execution.asking` - what it can ask its client
* :mod:`~server_core.execution.logs`, :mod:`~server_core.execution.progress` - what it can tell
* :mod:`~server_core.execution.calls` - which call runs here
"""
