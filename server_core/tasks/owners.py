"""Whose a task is: only its owner finds it, lists it, answers it and cancels it.

| who asks | owner |
|---|---|
| somebody who has proved who they are, in a session or without one | they themselves |
| a stateless client that proves nothing | everybody who knows the id, which nobody can guess |
| a session that proves nothing | that session alone |
| the client on standard input and output, where the store outlives the process | whoever can start the server |

Source: 2025-11-25, basic/utilities/tasks, task isolation and access control.
"""

ANYBODY = ""
_STDIO = "stdio"


def stateless_owner(principal: str) -> str:
    """Return the owner of the tasks of a stateless client.

    Args:
        principal: who the client has proved to be; empty for nobody.
    """
    return f"principal:{principal}" if principal else ANYBODY


def session_owner(principal: str, transport: str, token: str, *, durable: bool) -> str:
    """Return the owner of the tasks of a session.

    Args:
        principal: who the client has proved to be; empty for nobody.
        transport: the name of the session's transport.
        token: names this session and no other, and cannot be guessed.
        durable: the store outlives the process.
    """
    if principal:
        return stateless_owner(principal)
    return _STDIO if durable and transport == "stdio" else f"session:{token}"


def ends_with_its_session(owner: str) -> bool:
    """Return whether nobody can come back for a task once the session has ended that made it."""
    return owner.startswith("session:")
