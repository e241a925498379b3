"""A tool that reports its progress."""

import asyncio

from server_core import Context, MCPApp

app = MCPApp("progress_reporting", version="1.0.0")

STEPS = ("Fetch", "Sort", "Count", "Compare", "Write")


@app.tool
async def report_progress(context: Context) -> str:
    """Work in five steps, and report each."""
    for number, step in enumerate(STEPS, start=1):
        await asyncio.sleep(0)  # The work.
        await context.progress.report(number, total=len(STEPS), message=step)
    return f"All {len(STEPS)} steps are done."


if __name__ == "__main__":
    app.run()
