"""What goes to the world outside: a call that is signed with a secret, and a page that is fetched."""

import hashlib
import hmac
from typing import Annotated

from pydantic import Field

from server_core import Context, tool


@tool(requires_secrets=["SUPPLIER_KEY"], annotations={"destructiveHint": False})
def order_beans(
    context: Context,
    kilos: Annotated[int, Field(description="How many kilos of coffee beans", ge=1, le=100)],
) -> str:
    """Order coffee beans; the order is signed with a key that no client ever sees."""
    order = f"beans:{kilos}kg"
    signature = hmac.new(context.get_secret("SUPPLIER_KEY").encode(), order.encode(), hashlib.sha256)
    return f"Ordered {order}, signature {signature.hexdigest()[:12]}"


@tool(annotations={"readOnlyHint": True})
async def fetch_page(url: Annotated[str, "The URL of the page, http or https"]) -> str:
    """Fetch a page and return its size; a failed request becomes an error that the agent understands."""
    # Imported here: a server that never fetches should not wait for an HTTP library to load.
    import httpx

    async with httpx.AsyncClient(follow_redirects=True, timeout=10) as client:
        response = await client.get(url)
        response.raise_for_status()
    kind = response.headers.get("content-type", "unknown type")
    return f"{response.url}: {len(response.content)} bytes of {kind}"
