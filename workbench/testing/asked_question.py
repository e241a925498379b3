"""A question of a tool to the user or the model, as a test reads it."""

from dataclasses import dataclass, field
from typing import Any

from workbench.model.describe import json_line

Json = dict[str, Any]

_ADVICE = {
    "elicitation": "client.answers.elicit({...}), .decline() or .cancel()",
    "sampling": 'client.answers.sample("...") or .refuse_sample()',
    "roots": 'client.answers.roots("/a/folder")',
}


@dataclass(frozen=True)
class Asked:
    """A question of a tool.

    Attributes:
        kind: "elicitation", "sampling" or "roots".
        params: as received.
    """

    kind: str
    params: Json = field(repr=False)

    @property
    def message(self) -> str:
        """The text of the question; for a sampling request, the text of all its messages."""
        if self.kind != "sampling":
            return str(self.params.get("message", ""))
        blocks = [message.get("content") for message in self.params.get("messages", ())]
        flat = [part for block in blocks for part in (block if isinstance(block, list) else [block])]
        return "\n".join(str(part["text"]) for part in flat if isinstance(part, dict) and "text" in part)

    @property
    def schema(self) -> Json:
        """The JSON Schema of the form; empty if there is no form."""
        return dict(self.params.get("requestedSchema", {}))

    @property
    def url(self) -> str:
        """The URL that the user is asked to open; empty for a form."""
        return str(self.params.get("url", ""))

    @property
    def system_prompt(self) -> str:
        """The system prompt of a sampling request; empty for none."""
        return str(self.params.get("systemPrompt", ""))

    @property
    def advice(self) -> str:
        """An explanation of how to prepare an answer to it."""
        return _ADVICE[self.kind]

    def __str__(self) -> str:
        parts = [f"{self.kind} {self.message!r}" if self.message else self.kind]
        parts += [f"with the form {json_line(self.schema, 400)}"] if self.schema else []
        parts += [f"at {self.url}"] if self.url else []
        return " ".join(parts)
