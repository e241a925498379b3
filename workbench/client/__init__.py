"""The mock client: sessions over any transport, and the answers to the requests of servers.

* :mod:`~workbench.client.target` - the server to connect to: a project, a URL or a command
* :mod:`~workbench.client.session_opening` - open a session with it, in the chosen era or in the one it supports
* :mod:`~workbench.client.session` - one MCP session, on the client's side
* :mod:`~workbench.client.tool_call` - one call of a tool: progress and result
* :mod:`~workbench.client.questions` - the requests of servers to the client, and who answers them

The parts of a session:

* :mod:`~workbench.client.dialogue` - requests with everything that their revision requires, and server requests
* :mod:`~workbench.client.session_handshake`, :mod:`~workbench.client.era_probe` - how it starts, and how the era is
  detected
* :mod:`~workbench.client.multi_round_request`, :mod:`~workbench.client.input_requests`, :mod:`~workbench.client.tasks`
  - one request until its result, the requests for input on the way, and tasks that the server creates for it
* :mod:`~workbench.client.deadline` - its timeouts
* :mod:`~workbench.client.server_lists`, :mod:`~workbench.client.result_cache` - the server's lists, and how long they
  stay valid
* :mod:`~workbench.client.subscription` - notifications about changes
* :mod:`~workbench.client.connection` - matches responses with requests, and dispatches server messages to handlers
"""
