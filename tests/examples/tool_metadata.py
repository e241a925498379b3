"""Tools with metadata about their effects, so that clients know which calls need a confirmation."""

from typing import Annotated

from server_core import MCPApp
from server_core.metadata import Behavior, Operation, ToolMetadata

app = MCPApp("ToolMetadataDemo", version="1.0.0")

notes: dict[str, str] = {}

Title = Annotated[str, "The title of the note"]
Content = Annotated[str, "The text of the note"]


def does(*operations: Operation, destructive: bool = False, idempotent: bool = True) -> Behavior:
    """What a tool on these notes does: they are all in this process."""
    return Behavior(
        operations=operations,
        read_only=operations == (Operation.READ,),
        destructive=destructive,
        idempotent=idempotent,
        open_world=False,
    )


@app.tool(metadata=ToolMetadata(behavior=does(Operation.READ)))
def reverse_text(text: Annotated[str, "What to turn around"]) -> str:
    """Turn a text around."""
    return text[::-1]


@app.tool(metadata=ToolMetadata(behavior=does(Operation.READ)))
def search_notes(query: Annotated[str, "A part of a title or of a note"]) -> list[dict[str, str]]:
    """Find notes."""
    wanted = query.lower()
    return [
        {"title": title, "content": content}
        for title, content in notes.items()
        if wanted in title.lower() or wanted in content.lower()
    ]


@app.tool(metadata=ToolMetadata(behavior=does(Operation.CREATE, idempotent=False)))
def create_note(title: Title, content: Content) -> dict[str, str]:
    """Write a note that is not there yet."""
    if title in notes:
        return {"error": f"There is a note {title!r} already."}
    notes[title] = content
    return {"status": "created", "title": title}


@app.tool(metadata=ToolMetadata(behavior=does(Operation.UPDATE)))
def update_note(title: Title, content: Content) -> dict[str, str]:
    """Write a note anew."""
    if title not in notes:
        return {"error": f"There is no note {title!r}."}
    notes[title] = content
    return {"status": "updated", "title": title}


@app.tool(metadata=ToolMetadata(behavior=does(Operation.DELETE, destructive=True)))
def delete_note(title: Title) -> dict[str, str]:
    """Throw a note away, for good."""
    if notes.pop(title, None) is None:
        return {"error": f"There is no note {title!r}."}
    return {"status": "deleted", "title": title}


@app.tool(
    metadata=ToolMetadata(
        behavior=does(Operation.READ),
        extras={"billing_tier": "free", "max_requests_per_minute": 100},
    )
)
def get_notes_stats() -> dict[str, int]:
    """Count the notes and their letters."""
    return {"total_notes": len(notes), "total_characters": sum(map(len, notes.values()))}


@app.tool(metadata=ToolMetadata(behavior=does(Operation.CREATE, Operation.UPDATE)))
def upsert_note(title: Title, content: Content) -> dict[str, str]:
    """Write a note, whether it is there or not."""
    status = "updated" if title in notes else "created"
    notes[title] = content
    return {"status": status, "title": title}


if __name__ == "__main__":
    app.run()
