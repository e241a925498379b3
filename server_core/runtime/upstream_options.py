"""How another server is reached, beyond its command or URL: variables of its environment, HTTP headers, its folder.

They often contain credentials, so a core gets them in a variable of its environment, which it removes, and not in its
command line, which other users of the machine can read.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

VARIABLE = "WORKBENCH_UPSTREAM_OPTIONS"

_SECRET_NAME = re.compile(r"pass|secret|token|key|credential|auth|(^|_)pat($|_)", re.IGNORECASE)
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
        values = {name: value for name, value in self.env.items() if _SECRET_NAME.search(name)}
        for name, value in self.headers.items():
            # Without the scheme, as in `Bearer <token>`: servers repeat only the token.
            values[name] = value.split()[-1] if value.split() else ""
        return {name: value for name, value in values.items() if len(value) >= _SHORTEST_SECRET}
