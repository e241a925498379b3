"""The core's side of the link: what terminals see of a core, and what they may do with it.

From the ground up:

* :mod:`~server_core.link.backlog` - the records of this run, newest from memory, older ones from the capture
* :mod:`~server_core.link.stream` - one viewer's place in them
* :mod:`~server_core.link.control` - the methods of the link, and the role that each one asks for
* :mod:`~server_core.link.tokens` - roles as signed tokens
* :mod:`~server_core.link.descriptor` - the file that tells terminals of a running core
* :mod:`~server_core.link.serve` - all of it over WebSockets on a Unix socket
"""
