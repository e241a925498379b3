"""How the parameter is known that takes the context of a call: its type is this class, or one under it.

What a context can do is no matter of a declaration; see :class:`server_core.execution.context.context.Context`.
"""


class GivenContext:
    """What a function may take of its call, besides the arguments."""

    __slots__ = ()
