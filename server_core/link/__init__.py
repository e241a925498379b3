"""The core's side of the link: what terminals can read of a core, and what they can do with it.

From the lowest layer up:

* :mod:`~server_core.link.backlog` - the records of this run, and the stream of records to one viewer
* :mod:`~server_core.link.control` - the methods of the link, and the role that each method needs
* :mod:`~server_core.link.hold_methods` - the messages that are held, and the verbs on them
* :mod:`~server_core.link.question_methods` - the questions of terminals, which other terminals may answer
* :mod:`~server_core.link.roles` - the roles, and the signed tokens that grant them
* :mod:`~server_core.link.descriptor` - the file through which terminals find a running core
* :mod:`~server_core.link.terminal_connection` - one terminal that is attached
* :mod:`~server_core.link.link_server` - the server: WebSockets on a Unix socket
"""
