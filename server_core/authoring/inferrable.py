"""`Inferrable`: what an author writes beside the type of a parameter that no model should make up."""

from dataclasses import dataclass
from typing import Any

ANNOTATION = "x-inferrable"


@dataclass(frozen=True)
class Inferrable:
    """Tell whether a model may infer a parameter from what has been said.

    Written as `account: Annotated[str, "Which one.", Inferrable(False)]`. Orchestrators find it in the schema.

    Args:
        value: whether it may, as is so for every parameter without this mark.
    """

    value: bool = True

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = handler(core_schema)
        return schema if self.value else {**schema, ANNOTATION: False}
