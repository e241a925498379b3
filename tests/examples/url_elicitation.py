"""Tools that ask the user: on a page, where the server does not see the answer, or in a form."""

import secrets
from typing import Annotated

from server_core import Context, MCPApp
from server_core.exceptions import ElicitationModeNotSupportedError

app = MCPApp("url_elicitation", version="1.0.0", instructions="People prove who they are at the portal.")

PORTAL = "https://portal.example/verify"


@app.tool
async def verify_identity(context: Context, user: Annotated[str, "The claimed identity"]) -> str:
    """Let users prove their identity, on a page."""
    if not context.ui.supports_urls:
        raise ElicitationModeNotSupportedError("Use a client that can open a page for you.")
    visit = secrets.token_hex(8)
    answer = await context.ui.elicit(
        f"Please prove that you are {user}.", mode="url", url=f"{PORTAL}/{visit}", elicitation_id=visit
    )
    outcomes = {"accept": f"{user} has been to the portal.", "decline": f"{user} would rather not."}
    return outcomes.get(answer.action, f"{user} has left without an answer.")


@app.tool
async def upload_signature(context: Context) -> str:
    """Let users sign, in a form."""
    form = {"type": "object", "properties": {"signature": {"type": "string"}}, "required": ["signature"]}
    answer = await context.ui.elicit("Please sign with your name.", schema=form)
    if answer.content is None:
        return "It is not signed."
    return f"Signed: {answer.content['signature']}"


if __name__ == "__main__":
    app.run()
