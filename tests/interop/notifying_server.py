"""A server whose tools tell something: log messages of every level, new contents of a resource, a new tool."""

from server_core import Context, MCPApp

app = MCPApp("telling", "1.0", toolkit="")
stock = {"tea": 3}


@app.resource("shop://stock")
def read_stock() -> dict[str, int]:
    """What there is."""
    return stock


@app.tool
async def speak(context: Context) -> str:
    """Log at every level."""
    log = context.log
    for say in (log.debug, log.info, log.notice, log.warning, log.error, log.critical, log.alert, log.emergency):
        await say("hear, hear", logger="parts", number=1)
    return "said"


@app.tool
async def sell(context: Context) -> int:
    """Take one away, and tell of it."""
    stock["tea"] -= 1
    await context.resources.updated("shop://stock")
    return stock["tea"]


@app.tool
def grow() -> str:
    """Offer one tool more."""

    def another() -> str:
        """Be new."""
        return "new"

    app.tools.add(another)
    return "grown"
