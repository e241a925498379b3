"""The mock client: sessions over any transport, and what answers the questions of tools.

* :mod:`~workbench.client.session` - one MCP session, seen from the client
* :mod:`~workbench.client.connection` - answers find their requests, and what the server starts finds its handler
* :mod:`~workbench.client.call` - one call of a tool, while it runs and after
* :mod:`~workbench.client.questions` - what servers ask of the client, and who answers
* :mod:`~workbench.client.target` - which server is meant: a project, an address or a command
"""
