"""The limits in a schema as text: "1 to 20", "at least 3 characters", "matches ^a"."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from workbench.model import describe
from workbench.model.short_text import shortened

FORMATS = {
    "date": "a date such as 2026-01-31",
    "time": "a time such as 14:30:00Z",
    "date-time": "a date and time such as 2026-01-31T14:30:00Z",
    "duration": "a duration such as P1DT2H",
    "email": "an email address",
    "idn-email": "an email address",
    "uri": "a URL such as https://example.com",
    "uri-reference": "a URL or path",
    "hostname": "a host name",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "uuid": "a UUID",
    "regex": "a regular expression",
    "json-pointer": "a JSON pointer such as /a/0",
}
"""The text for each `format`."""

NEVER_EMPTY = FORMATS.keys() - {"uri-reference", "regex", "json-pointer"}
"""The formats that an empty text does not have."""


def constraint_texts(flat: Mapping[str, Any], kind: str) -> list[str]:
    texts: list[str] = []
    match kind:
        case "integer" | "number":
            texts += _numbers(flat)
        case "string":
            texts += _strings(flat)
        case "array" | "choices":
            texts += _counted(flat, "minItems", "maxItems", "item")
            if flat.get("uniqueItems") is True and kind == "array":
                texts.append("no duplicate items")
        case "object" | "map":
            texts += _counted(flat, "minProperties", "maxProperties", "key")
            names = flat.get("propertyNames")
            if isinstance(names, dict) and isinstance(pattern := names.get("pattern"), str):
                texts.append(f"keys match {shortened(pattern, 60)}")
    if flat.get("not") == {}:
        texts.append("no value is allowed here")
    if flat.get("deprecated") is True:
        texts.append("deprecated")
    if flat.get("readOnly") is True:
        texts.append("read-only")
    return texts


def _numbers(flat: Mapping[str, Any]) -> list[str]:
    low, high = number(flat, "minimum"), number(flat, "maximum")
    over, under = number(flat, "exclusiveMinimum"), number(flat, "exclusiveMaximum")
    texts = []
    if low is not None and high is not None:
        texts.append(f"{low} to {high}")
    elif low is not None:
        texts.append(f"at least {low}")
    elif high is not None:
        texts.append(f"at most {high}")
    if over is not None:
        texts.append(f"more than {over}")
    if under is not None:
        texts.append(f"less than {under}")
    if (step := number(flat, "multipleOf")) is not None:
        texts.append(f"a multiple of {step}")
    return texts


def _strings(flat: Mapping[str, Any]) -> list[str]:
    texts = _counted(flat, "minLength", "maxLength", "character")
    if isinstance(pattern := flat.get("pattern"), str):
        texts.append(f"matches {shortened(pattern, 80)}")
    if isinstance(name := flat.get("format"), str):
        texts.append(FORMATS.get(name, shortened(name, 40)))
    for keyword in ("contentEncoding", "contentMediaType"):
        if isinstance(name := flat.get(keyword), str):
            texts.append(shortened(name, 40))
    return texts


def _counted(flat: Mapping[str, Any], least: str, most: str, noun: str) -> list[str]:
    low, high = number(flat, least), number(flat, most)
    if low is not None and low == high:
        return [f"exactly {describe.plural(int(low), noun)}"]
    if low and high is not None:
        return [f"{low} to {high} {noun}s"]
    if low:
        return [f"at least {describe.plural(int(low), noun)}"]
    if high is not None:
        return [f"at most {describe.plural(int(high), noun)}"]
    return []


def number(flat: Mapping[str, Any], keyword: str) -> int | float | None:
    """Return the number in a keyword; None if there is none. 3.0 is read as 3."""
    value = flat.get(keyword)
    if type(value) is int:
        return value
    if type(value) is not float or not isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
