"""Schemas with another schema in them, one for each keyword that has room for it."""

from collections.abc import Callable
from typing import Any

Around = Callable[[Any], dict[str, Any]]


def _plain(keyword: str) -> Around:
    return lambda schema: {keyword: schema}


def _listed(keyword: str) -> Around:
    return lambda schema: {keyword: [schema]}


def _named(keyword: str) -> Around:
    return lambda schema: {keyword: {"a": schema}}


AROUND: dict[str, Around] = {
    keyword: make(keyword)
    for make, keywords in (
        (
            _plain,
            "additionalItems additionalProperties contains contentSchema else if items not propertyNames then "
            "unevaluatedItems unevaluatedProperties",
        ),
        (_listed, "allOf anyOf oneOf prefixItems"),
        (_named, "$defs definitions dependencies dependentSchemas patternProperties properties"),
    )
    for keyword in keywords.split()
} | {"items of draft 7": _listed("items")}
"""The keywords of JSON Schema 2020-12, and what draft 7 and 2019-09 have besides."""

DATA: dict[str, Around] = {
    "const": _plain("const"),
    "default": _plain("default"),
    "enum": _listed("enum"),
    "examples": _listed("examples"),
    "an unknown keyword": _plain("x-unknown"),
    "an annotation": _named("x-names"),
}
