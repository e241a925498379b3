"""What a tool receives of a user's account."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Authorization:
    """A user's account with a service, as `context.authorization`; each call has its own instance.

    Attributes:
        token: the access token for requests to the service.
        user_info: what the service returns about the user; empty if it returns nothing.
    """

    token: str = field(repr=False)
    user_info: dict[str, Any] = field(default_factory=dict, repr=False)
