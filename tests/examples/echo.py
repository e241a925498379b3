"""The smallest server: a single tool, with hints about its effects."""

from typing import Annotated

from server_core import MCPApp
from server_core.metadata import Behavior, Operation, ToolMetadata

app = MCPApp("EchoServer")

HARMLESS = Behavior(
    operations=[Operation.READ],
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
)


@app.tool(metadata=ToolMetadata(behavior=HARMLESS))
def echo(message: Annotated[str, "What to send back"]) -> str:
    """Send a message back as it came."""
    return message


if __name__ == "__main__":
    app.run(transport="http")
