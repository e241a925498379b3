"""Tasks: calls of tools that continue after their request is answered, and whose results are fetched later.

There is one store, and two protocols to access it: `core_wire` is the part of revision 2025-11-25, where the client
asks for a task, and `extension_wire` is the extension `io.modelcontextprotocol/tasks` of 2026-07-28, where the server
decides.

    task.py             the data of a task, its owner, and the transitions of its status
    store.py            the store of tasks; sqlite_store.py stores them in a file
    running_task.py     a task whose tool runs in this process: its input requests and its end
    task_port.py        the port through which the tool of a task reaches its client
    task_registry.py    all tasks of one server: their owners and their expiry
    task_creation.py    how a call becomes a task

Tasks belong to an authenticated user; `task.py` describes who owns those of clients without authentication.
"""
