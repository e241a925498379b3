"""A server that describes itself to clients: its icon, its title, and the titles of its tools."""

import base64
from typing import Annotated

from server_core import Context, Icon, MCPApp


def picture(color: str) -> str:
    """A square, as a data URL."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="{color}"/></svg>'
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


app = MCPApp(
    "server_branding",
    version="1.0.0",
    title="The Blue Server",
    description="It is blue.",
    website_url="https://example.com/blue",
    icons=[
        Icon(src=picture("navy"), mimeType="image/svg+xml", sizes=["any"], theme="light"),
        Icon(src=picture("skyblue"), mimeType="image/svg+xml", sizes=["any"], theme="dark"),
    ],
    instructions="Look at it.",
)


@app.tool
def echo(msg: Annotated[str, "What to send back"]) -> str:
    """Send a message back."""
    return msg


@app.tool(name="data.fetch-utility")
def fetch_something() -> str:
    """Fetch something, under a name with a dot and a dash."""
    return "fetched"


@app.tool
def ready_to_ship(context: Context) -> str:
    """Return whether everything is ready."""
    return f"{context.server.title if context.server else 'It'} is ready."


if __name__ == "__main__":
    app.run(transport="http")
