"""A tool that asks the user, by a form."""

from server_core import Context, MCPApp

app = MCPApp("user_elicitation", version="1.0.0")

FORM = {"type": "object", "properties": {"nickname": {"type": "string"}}, "required": ["nickname"]}


@app.tool
async def elicit_nickname(context: Context) -> str:
    """Ask users for their nickname, and greet them by it."""
    answer = await context.ui.elicit("What do your friends call you?", schema=FORM)
    if answer.content is not None:
        return f"Hello, {answer.content['nickname']}!"
    return "Then it stays a secret." if answer.action == "decline" else "Another time, then."


if __name__ == "__main__":
    app.run()
