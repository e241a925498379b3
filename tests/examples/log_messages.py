"""A tool that logs to its client what it does, at each level."""

from typing import Annotated

from server_core import Context, MCPApp

app = MCPApp("LoggingServer")


@app.tool
async def log_message(context: Context, message: Annotated[str, "What to log"]) -> str:
    """Log a message at every level."""
    await context.log.log("debug", f"By name: {message}")
    await context.log.debug(f"A detail: {message}")
    await context.log.info(f"Good to know: {message}")
    await context.log.warning(f"Take care: {message}")
    await context.log.error(f"It broke: {message}")
    await context.log.log("info", f"By name: {message}")
    return message


if __name__ == "__main__":
    app.run(transport="http")
