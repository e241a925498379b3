"""How another server is reached, beyond its command or URL: variables of its environment, HTTP headers, its folder.

They often contain credentials, so a core gets them in a variable of its environment, which it removes, and not in its
command line, which other users of the machine can read.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

VARIABLE = "WORKBENCH_UPSTREAM_OPTIONS"

_SHORTEST_SECRET = 6  # Masking shorter values would hide ordinary text.


@dataclass(frozen=True, slots=True)
class UpstreamOptions:
    """The options of one server; their values are not part of its `repr`."""

    env: Mapping[str, str] = field(default_factory=dict, repr=False)  # in addition to our own environment
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # of each HTTP request
    folder: str = ""  # in which a command is started; empty for the current folder

    @classmethod
    def take(cls) -> "UpstreamOptions":
        """Return the options from the environment of this process, and remove them there; empty if there are none."""
        text = os.environ.pop(VARIABLE, "")
        return cls(**json.loads(text)) if text else cls()

    def to_environment(self) -> dict[str, str]:
        """Return the environment of a process that takes these options: ours, if there are none."""
        if self == UpstreamOptions():
            return dict(os.environ)
        return {**os.environ, VARIABLE: json.dumps(asdict(self))}

    @property
    def command_environment(self) -> dict[str, str] | None:
        """The environment of a command; None for ours."""
        return {**os.environ, **self.env} if self.env else None

    @property
    def secrets(self) -> dict[str, str]:
        """The values to mask, by name: of headers, and of variables whose names suggest a secret."""
        from server_core.runtime.command_text import is_secret_name  # Late: few cores relay a server.

        values = {name: value for name, value in self.env.items() if is_secret_name(name)}
        for name, value in self.headers.items():
            # Servers repeat only a part: the token without its scheme, as in `Bearer <token>`, or one cookie.
            parts = value.split("; ") if name.lower() == "cookie" else value.split()[-1:]
            values |= {name if index == 0 else f"{name}-{index + 1}": part for index, part in enumerate(parts)}
        return {name: value for name, value in values.items() if len(value) >= _SHORTEST_SECRET}
