"""One call of an author's function: what it is given, what it can do, and what becomes of it.

* :mod:`~server_core.execution.run` - a call of a tool, from its arguments to its result
* :mod:`~server_core.execution.result_size` - how long a result may be
* :mod:`~server_core.execution.reading`, :mod:`~server_core.execution.prompting` - a resource, the messages of a prompt
* :mod:`~server_core.execution.completing` - proposals for an argument
* :mod:`~server_core.execution.invocation` - a call of any function of an author's
* :mod:`~server_core.execution.requirements` - what a call needs before its tool runs; ``authorizing`` asks for accounts
* :mod:`~server_core.execution.context.call` - one call, from its beginning to its end
* :mod:`~server_core.execution.context.context` - what a running function can do, with a module for each part:

  * what it can ask its client: ``elicitation`` (with ``forms``), ``sampling``, ``roots``
  * what it can tell: ``logs``, ``progress``, ``notifications``
  * what it can ask its own server, by way of ``inner``: ``tools``, ``resources``, ``prompts``
  * what it is told: ``facts``
  * other names of the same: ``client``, ``older_spellings``
  * all of it for functions that run on threads: ``blocking``
  * the way to the client: ``port``, and the names of what it is asked: ``question_keys``
* :mod:`~server_core.execution.running_calls` - which call runs here
"""
