"""`Header` and `Inferrable`: annotations that add a fact to the schema of a parameter."""

from dataclasses import dataclass
from typing import Any

from server_core.protocol.header_parameters import ANNOTATION as HEADER_MEMBER

INFERRABLE_MEMBER = "x-inferrable"


@dataclass(frozen=True)
class Header:
    """Make HTTP clients repeat a parameter in a header, so that proxies can route by it.

    Used as `region: Annotated[str, Header("Region")]`. Proxies can read headers, so it must not be secret.

    Args:
        name: the name of the header after `Mcp-Param-`.

    Source: 2026-07-28, server/tools, x-mcp-header.
    """

    name: str

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        # A reference (to the schema of an enum, for instance) is resolved, since the annotation must be beside the
        # type.
        return {**handler.resolve_ref_schema(handler(core_schema)), HEADER_MEMBER: self.name}


@dataclass(frozen=True)
class Inferrable:
    """Declare whether a model may infer a parameter from the conversation.

    Used as `account: Annotated[str, "Which one.", Inferrable(False)]`. Orchestrators read it from the schema.

    Args:
        value: whether the parameter is inferrable, which is the default for parameters without this annotation.
    """

    value: bool = True

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler(core_schema)
        return schema if self.value else {**schema, INFERRABLE_MEMBER: False}
