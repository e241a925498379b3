"""`Header`: what an author writes beside the type of a parameter that HTTP headers are to repeat."""

from dataclasses import dataclass
from typing import Any

from server_core.protocol.header_parameters import ANNOTATION


@dataclass(frozen=True)
class Header:
    """Have HTTP clients repeat a parameter in a header, so that proxies can route by it.

    Written as `region: Annotated[str, Header("Region")]`. Anybody on the way reads headers: it is for nothing secret.

    Args:
        name: of the header, behind `Mcp-Param-`.

    Source: 2026-07-28, server/tools, x-mcp-header.
    """

    name: str

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        # What another part of the schema describes, an enum say, is written out: a reference carries no header.
        return {**handler.resolve_ref_schema(handler(core_schema)), ANNOTATION: self.name}
