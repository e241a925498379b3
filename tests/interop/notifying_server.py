"""A server whose tools notify clients: log messages of every level, new contents of a resource, a new tool."""

from server_core import Context, MCPApp

app = MCPApp("notifying", "1.0", toolkit="")
stock = {"tea": 3}


@app.resource("shop://stock")
def read_stock() -> dict[str, int]:
    """The stock."""
    return stock


@app.tool
async def log_messages(context: Context) -> str:
    """Log at every level."""
    log = context.log
    for write in (log.debug, log.info, log.notice, log.warning, log.error, log.critical, log.alert, log.emergency):
        await write("a message", logger="parts", number=1)
    return "logged"


@app.tool
async def sell(context: Context) -> int:
    """Remove an item, and notify of the update."""
    stock["tea"] -= 1
    await context.resources.updated("shop://stock")
    return stock["tea"]


@app.tool
def grow() -> str:
    """Offer another tool."""

    def another() -> str:
        """Be new."""
        return "new"

    app.tools.add(another)
    return "grown"
