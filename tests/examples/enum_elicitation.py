"""Every kind of choice that a form can offer: a single value or any of several, with and without titles."""

from typing import Any

from server_core import (
    Context,
    LegacyTitledEnumSchema,
    MCPApp,
    TitledMultiSelectEnumSchema,
    TitledSingleSelectEnumSchema,
    UntitledMultiSelectEnumSchema,
    UntitledSingleSelectEnumSchema,
)

app = MCPApp("enum_elicitation", version="1.0.0")


@app.tool
async def pick_priority(context: Context) -> str:
    """Ask for a value that needs no explanation."""
    field = UntitledSingleSelectEnumSchema(enum=["low", "medium", "high"], default="medium")
    return await picked(context, "How urgent is it?", "priority", field)


@app.tool
async def pick_region(context: Context) -> str:
    """Ask for a value that users know by another name."""
    field = TitledSingleSelectEnumSchema(oneOf=titled(north="The North", south="The South"))
    return await picked(context, "Where shall it run?", "region", field)


@app.tool
async def pick_tags(context: Context) -> str:
    """Ask for any of several values."""
    field = UntitledMultiSelectEnumSchema(items={"type": "string", "enum": ["bug", "docs", "idea"]}, default=[])
    return await picked(context, "What is it about?", "tags", field)


@app.tool
async def pick_permissions(context: Context) -> str:
    """Ask for any of several values that users know by other names, and at least one."""
    field = TitledMultiSelectEnumSchema(
        items={"anyOf": titled(read="Look", write="Change", admin="Do everything")}, minItems=1, default=["read"]
    )
    return await picked(context, "What may they do?", "permissions", field)


@app.tool
async def pick_legacy(context: Context) -> str:
    """Ask for a value in the form before titles had their own keyword."""
    field = LegacyTitledEnumSchema(enum=["slow", "fast"], enumNames=["In a week", "Tomorrow"], default="slow")
    return await picked(context, "When shall it come?", "speed", field)


@app.tool
async def configure_deployment(context: Context) -> dict[str, Any]:
    """Ask for several things at once."""
    fields = {
        "environment": TitledSingleSelectEnumSchema(oneOf=titled(test="For us", live="For everybody")),
        "replicas": {"type": "integer", "minimum": 1, "default": 2},
        "features": TitledMultiSelectEnumSchema(items={"anyOf": titled(canary="A few first", scale="Grow alone")}),
        "notify": UntitledSingleSelectEnumSchema(enum=["me", "team", "nobody"], default="team"),
    }
    answer = await context.ui.elicit("How shall it run?", schema=form(fields, "environment"))
    return {"status": answer.action, "config": answer.content or {}}


async def picked(context: Context, question: str, name: str, field: dict[str, Any]) -> str:
    answer = await context.ui.elicit(question, schema=form({name: field}, name))
    if answer.content is None:
        return f"Nothing was chosen: {answer.action}."
    value = answer.content[name]
    return f"{name}: {', '.join(value) if isinstance(value, list) else value}"


def form(fields: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(required)}


def titled(**titles: str) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in titles.items()]


if __name__ == "__main__":
    app.run()
