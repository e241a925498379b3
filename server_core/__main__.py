"""`python -m server_core`: one core in a process of its own; see :mod:`server_core.running`."""

import gc
import sys

# Importing leaves next to no garbage, and looking for it all the same costs a part of the time to the first answer.
gc.disable()

from server_core.running import INTERRUPTED, MISUSED, main, run, serve, tell  # noqa: E402

gc.freeze()
gc.enable()

__all__ = ["INTERRUPTED", "MISUSED", "main", "run", "serve", "tell"]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
