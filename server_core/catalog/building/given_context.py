"""The base class of the call context: a parameter of this type, or a subclass, receives the context.

Declarations need nothing else of it; the context itself is :class:`server_core.execution.context.context.Context`.
"""


class GivenContext:
    """The base class of the context of a call."""

    __slots__ = ()
