"""The choice fields of a form, for the schema that `context.ui.elicit` accepts.

`TitledSingleSelectEnumSchema(oneOf=[{"const": "a", "title": "A"}])` is the field with its `type` filled in; `title`,
`description` and `default` are members like any other. The `items` of an array are `field["items"]` when read, since a
`dict` has a method of that name.

Source: client/elicitation; the classes are named as its enum schemas.
"""

from server_core.types.wire_object import Json, WireObject


class UntitledSingleSelectEnumSchema(WireObject, kind="string"):
    """One of several values, shown as they are."""

    title: str | None
    description: str | None
    enum: list[str]
    default: str | None


class TitledSingleSelectEnumSchema(WireObject, kind="string"):
    """One of several values, each with a title that is shown: `{"const": "a", "title": "A"}`."""

    title: str | None
    description: str | None
    oneOf: list[Json]
    default: str | None


class UntitledMultiSelectEnumSchema(WireObject, kind="array"):
    """Any of several values, shown as they are: `items` have an `enum`."""

    title: str | None
    description: str | None
    minItems: int | None
    maxItems: int | None
    default: list[str] | None


class TitledMultiSelectEnumSchema(WireObject, kind="array"):
    """Any of several values, each with a title that is shown: `items` have an `anyOf`."""

    title: str | None
    description: str | None
    minItems: int | None
    maxItems: int | None
    default: list[str] | None


class LegacyTitledEnumSchema(WireObject, kind="string"):
    """One of several values, with titles in a separate list; the form in use before `oneOf`."""

    title: str | None
    description: str | None
    enum: list[str]
    enumNames: list[str]
    default: str | None
