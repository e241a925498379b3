"""Tools that offer the client's model a helper, and run it when the model wants to use it.

The helpers are no tools of the server: only the model that a tool asks sees them.
"""

import re
from typing import Annotated, Any

from server_core import Context, MCPApp
from server_core.types import SamplingMessage, TextContent, ToolChoice, ToolResultContent, ToolUseContent

app = MCPApp("sampling_with_tools", version="1.0.0")

MAX_ROUNDS = 4
GLOSSARY = {
    "tool": "A tool is a function that a model can have called.",
    "sampling": "Sampling lets a server ask the model of its client.",
    "task": "A task is a call that goes on after its request is answered.",
}
LOOK_UP = {
    "name": "search_docs",
    "description": "Look up what a word of the protocol means.",
    "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
EXTRACT = {
    "name": "extract_entities",
    "description": "Find e-mail addresses and names in a text.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


@app.tool
async def research_with_lookup(
    context: Context, question: Annotated[str, "What to find out"]
) -> Annotated[str, "The answer of the model"]:
    """Answer a question with the client's model, which may look words up."""
    conversation = [text_message("user", question)]
    for _ in range(MAX_ROUNDS):
        answer = await context.sampling.create_message(
            conversation, tools=[LOOK_UP], tool_choice=ToolChoice(mode="auto")
        )
        if not answer.tool_uses:
            return answer.text
        results = [ToolResultContent(toolUseId=use.id, content=[looked_up(use)]) for use in answer.tool_uses]
        conversation += [answer.message, SamplingMessage(role="user", content=results)]
    return "The model has not come to an answer."


@app.tool
async def forced_extraction(
    context: Context, text: Annotated[str, "Where to look"]
) -> Annotated[dict[str, list[str]], "The addresses and the names"]:
    """Have the client's model choose the part of a text that is searched for email addresses and names."""
    answer = await context.sampling.create_message(
        [text_message("user", f"Extract who is named here: {text}")],
        tools=[EXTRACT],
        tool_choice=ToolChoice(mode="required"),
    )
    if not answer.tool_uses:
        raise RuntimeError("The model had to use the helper, and has not.")
    return extracted(answer.tool_uses[0].input["text"])


@app.tool
async def summarize_with_none(context: Context, text: Annotated[str, "What to summarize"]) -> str:
    """Summarize a text with the client's model, which sees the helper and may not use it."""
    answer = await context.sampling.create_message(
        [text_message("user", text)],
        system_prompt="Summarize in one sentence.",
        tools=[LOOK_UP],
        tool_choice=ToolChoice(mode="none"),
    )
    return answer.text


def text_message(role: str, text: str) -> SamplingMessage:
    return SamplingMessage(role=role, content=TextContent(text=text))


def looked_up(use: ToolUseContent) -> TextContent:
    query = use.input["query"]
    meanings = [meaning for word, meaning in GLOSSARY.items() if word in query.lower()]
    return TextContent(text=" ".join(meanings) or f"Nothing is known about {query!r}.")


def extracted(text: str) -> dict[str, Any]:
    return {
        "emails": re.findall(r"[\w.+-]+@[\w-]+\.[\w.]+", text),
        "names": sorted(set(re.findall(r"\b[A-Z][a-z]+\b", text))),
    }


if __name__ == "__main__":
    app.run()
