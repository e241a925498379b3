"""The owner of a task: only the owner can get it, list it, answer its input requests and cancel it.

| caller | owner |
|---|---|
| an authenticated user, in a session or without one | the user |
| a stateless client without authentication | every client that knows the id, which cannot be guessed |
| a session without authentication | that session alone |
| the client on standard input and output, with a durable store | every user who can start the server |

Source: 2025-11-25, basic/utilities/tasks, task isolation and access control.
"""

ANYBODY = ""
_STDIO = "stdio"


def stateless_owner(principal: str) -> str:
    """Return the owner of the tasks of a stateless client.

    Args:
        principal: the authenticated user; empty for none.
    """
    return f"principal:{principal}" if principal else ANYBODY


def session_owner(principal: str, transport: str, token: str, *, durable: bool) -> str:
    """Return the owner of the tasks of a session.

    Args:
        principal: the authenticated user; empty for none.
        transport: the name of the session's transport.
        token: a unique secret of this session.
        durable: whether the store outlives the process.
    """
    if principal:
        return stateless_owner(principal)
    return _STDIO if durable and transport == "stdio" else f"session:{token}"


def ends_with_its_session(owner: str) -> bool:
    """Return whether no client can access a task after the end of the session that created it."""
    return owner.startswith("session:")
