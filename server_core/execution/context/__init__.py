"""What a running tool can do: its context, and its way to the client that has called it.

* :mod:`~server_core.execution.context.call` - one call, from its beginning to its end
* :mod:`~server_core.execution.context.context` - what a running function can do, with a module for each part:

  * what it can ask its client: ``elicitation`` (with ``forms``), ``sampling``, ``roots``
  * what it can tell: ``logs``, ``progress``, ``notifications``
  * what it can ask its own server, by way of ``inner``: ``tools``, ``resources``, ``prompts``
  * what it is told: ``facts``
  * other names of the same: ``client``, ``older_spellings``
  * all of it for functions that run on threads: ``blocking``
  * the way to the client: ``port``, and the names of what it is asked: ``question_keys``
"""
