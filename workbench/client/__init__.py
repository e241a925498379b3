"""The mock client: sessions over any transport, and what answers the questions of tools.

* :mod:`~workbench.client.target` - which server is meant: a project, an address or a command
* :mod:`~workbench.client.session_opening` - a session with it, in the era that was asked for or that it speaks
* :mod:`~workbench.client.session` - one MCP session, seen from the client
* :mod:`~workbench.client.call` - one call of a tool, while it runs and after
* :mod:`~workbench.client.server_requests` - what servers ask of the client, and who answers

A session is made of:

* :mod:`~workbench.client.dialogue` - requests with all that their revision wants, and what the server starts
* :mod:`~workbench.client.handshake`, :mod:`~workbench.client.era_probe` - how it begins, and finding out how
* :mod:`~workbench.client.multi_round_request`, :mod:`~workbench.client.input_requests`, :mod:`~workbench.client.tasks`
  - one request until its result, the questions on the way, and what a server makes a task of
* :mod:`~workbench.client.deadline` - how long that may take
* :mod:`~workbench.client.offers`, :mod:`~workbench.client.result_cache`, :mod:`~workbench.client.subscription` - what
  the server has, for how long that holds, and hearing when it changes
* :mod:`~workbench.client.connection` - answers find their requests, and what the server starts finds its handler
"""
