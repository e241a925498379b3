"""`Inferrable`: an annotation for parameters that a model must not make up."""

from dataclasses import dataclass
from typing import Any

ANNOTATION = "x-inferrable"


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
        return schema if self.value else {**schema, ANNOTATION: False}
