"""A tool that lets the client's model do a part of its work."""

from typing import Annotated

from server_core import Context, MCPApp

app = MCPApp("sampling", version="1.0.0")


@app.tool
async def summarize_text(context: Context, text: Annotated[str, "What to summarize"]) -> str:
    """Summarize a text with the client's model."""
    answer = await context.sampling.create_message(
        messages=text,
        system_prompt="Summarize what the user writes, in two sentences at most.",
        max_tokens=200,
    )
    return answer.text


if __name__ == "__main__":
    app.run()
