"""The schemas of the protocol, which are read when a message of their revision is first validated."""

from functools import cache
from importlib import resources
from typing import Any

from server_core.protocol.revisions import REVISIONS
from server_core.runtime.safe_json import parse_json
from workbench.model.messages.protocol_schema import ProtocolSchema


@cache
def schema_of(date: str) -> ProtocolSchema | None:
    """Return the schema of a revision; None if there is no such revision."""
    return ProtocolSchema(read_schema(date)) if date in REVISIONS else None


def read_schema(date: str) -> dict[str, Any]:
    """Return the JSON Schema of a revision."""
    file = resources.files("workbench.model.messages").joinpath("schemas", f"{date}.json")
    return dict(parse_json(file.read_bytes()))
