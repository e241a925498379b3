"""Values of the protocol: JSON objects whose members are attributes as well."""

import json
from typing import Any

import pytest

from server_core.types import (
    GetTaskResult,
    LegacyTitledEnumSchema,
    SamplingMessage,
    TaskStatus,
    TitledMultiSelectEnumSchema,
    TitledSingleSelectEnumSchema,
    ToolAnnotations,
    ToolUseContent,
    UntitledMultiSelectEnumSchema,
    UntitledSingleSelectEnumSchema,
)
from tests.tables import each_row

TITLED = [{"const": "a", "title": "A"}]


@each_row(
    ("field", "on_the_wire"),
    [
        (UntitledSingleSelectEnumSchema(enum=["a"]), {"type": "string", "enum": ["a"]}),
        (TitledSingleSelectEnumSchema(oneOf=TITLED), {"type": "string", "oneOf": TITLED}),
        (UntitledMultiSelectEnumSchema(items={"enum": ["a"]}), {"type": "array", "items": {"enum": ["a"]}}),
        (TitledMultiSelectEnumSchema(items={"anyOf": TITLED}), {"type": "array", "items": {"anyOf": TITLED}}),
        (
            LegacyTitledEnumSchema(enum=["a"], enumNames=["A"], default="a"),
            {"type": "string", "enum": ["a"], "enumNames": ["A"], "default": "a"},
        ),
    ],
)
def test_a_choice_has_its_type_filled_in(field: Any, on_the_wire: dict[str, Any]) -> None:
    assert json.loads(json.dumps(field)) == on_the_wire


def test_members_are_read_as_on_the_wire_and_as_python_spells_them() -> None:
    task = GetTaskResult({"taskId": "1", "status": "working", "_meta": {"a": 1}})
    assert (task.taskId, task.task_id, task["taskId"], task.meta) == ("1", "1", "1", {"a": 1})
    assert task.status == TaskStatus.WORKING


def test_optional_members_are_none_and_others_raise() -> None:
    hints = ToolAnnotations(readOnlyHint=True, title=None)
    assert hints == {"readOnlyHint": True}
    assert hints.destructive_hint is None
    with pytest.raises(AttributeError, match="ToolAnnotations has no 'colour'; it has readOnlyHint"):
        hints.colour  # noqa: B018


def test_a_member_can_be_set() -> None:
    use = ToolUseContent(id="1", name="look", input={})
    use.name, use.tool_use_id = "find", "2"
    assert SamplingMessage(role="assistant", content=use) == {
        "role": "assistant",
        "content": {"type": "tool_use", "id": "1", "name": "find", "input": {}, "toolUseId": "2"},
    }
