"""`Header`: an annotation for parameters that HTTP clients repeat in a header."""

from dataclasses import dataclass
from typing import Any

from server_core.protocol.header_parameters import ANNOTATION


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
        return {**handler.resolve_ref_schema(handler(core_schema)), ANNOTATION: self.name}
