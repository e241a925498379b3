"""Tools that may, must and must not run as tasks, whose results clients fetch later."""

import asyncio
from typing import Annotated, Any

from server_core import Context, MCPApp, TitledSingleSelectEnumSchema, ToolExecution, tool

app = MCPApp("task_augmentation", version="1.0.0")

STEPS = ("Read", "Compare", "Write")
FORM = {
    "type": "object",
    "properties": {
        "preference": TitledSingleSelectEnumSchema(
            oneOf=[{"const": "new", "title": "What is new"}, {"const": "known", "title": "What is known"}]
        )
    },
    "required": ["preference"],
}


@tool(execution=ToolExecution(taskSupport="optional"))
async def generate_report(context: Context, topic: Annotated[str, "What about"]) -> dict[str, Any]:
    """Write a report; a client may wait for it, or fetch it later."""
    await context.log.info(f"A report about {topic} begins.")
    for number, step in enumerate(STEPS, start=1):
        await context.progress.report(number, total=len(STEPS), message=step)
        await asyncio.sleep(0)  # The work.
    return {"topic": topic, "sections": list(STEPS)}


@tool(execution=ToolExecution(taskSupport="required"))
async def deep_research(context: Context, question: Annotated[str, "What to find out"]) -> dict[str, Any]:
    """Find something out, and ask on the way; only as a task."""
    answer = await context.ui.elicit("What do you want to read?", schema=FORM)
    if answer.content is None:
        return {"question": question, "status": answer.action}
    return {"question": question, "status": "done", "preference": answer.content["preference"]}


@tool(execution=ToolExecution(taskSupport="forbidden"))
def quick_lookup(key: Annotated[str, "Of the value"]) -> str:
    """Look a value up; too quick to be a task."""
    return {"greeting": "hello"}.get(key, f"There is no {key!r}.")


for function in (generate_report, deep_research, quick_lookup):
    app.add_tool(function)


if __name__ == "__main__":
    app.run()
