"""The files of captures on this machine."""

import asyncio
from pathlib import Path


async def delete_capture(path: str) -> None:
    """Delete a capture; ConfigurationError if it is in use, or no capture."""
    # Imported late: most terminals delete none.
    from server_core.records.capture.pruning import delete

    await asyncio.to_thread(delete, Path(path))
