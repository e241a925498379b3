"""Serve the fixtures of the conformance suite: `python tests/conformance/server.py --port 3001`.

They are at http://127.0.0.1:3001/mcp then.
"""

import argparse
import sys
from pathlib import Path


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=3001)
    port = parser.parse_args().port
    # A script imports the modules beside it, and the fixtures are a part of the tests.
    sys.path[0] = str(Path(__file__).parents[2])
    from tests.conformance.fixtures import app

    app.run(transport="http", port=port)


if __name__ == "__main__":
    main()
