"""What a tool is given of a person's account."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Authorization:
    """A person's account with a service, as `context.authorization`; each call has one of its own.

    Attributes:
        token: what requests to the service carry.
        user_info: what the service says about the person; empty where it does not.
    """

    token: str = field(repr=False)
    user_info: dict[str, Any] = field(default_factory=dict, repr=False)
