"""Tasks: calls of tools that go on when their request is answered, and whose results are fetched later.

One store holds them, and two wires show them: `core_wire` as a part of revision 2025-11-25, where the client asks for a
task, and `extension_wire` as the extension `io.modelcontextprotocol/tasks` of 2026-07-28, where the server decides.

    task.py        what a task is, and which status may follow which
    store.py       where tasks are kept; sqlite_store.py in a file
    running.py     a task whose tool runs in this process: its questions, its end
    port.py        what the tool of a task reaches its client through
    book.py        all tasks of one server: who may see which, and for how long
    becoming.py    how a call becomes a task

Tasks belong to whoever has proved to be there; see :mod:`server_core.tasks.owners` for those who prove nothing.
"""
