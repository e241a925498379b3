"""Short texts for users: durations, sizes, types of schemas, arguments and contents of results.

The terminal and the command line share these texts. Every text is safe to show: parts that a server wrote are escaped
(see `workbench.model.short_text`). The values may have any shape, because servers write them.
"""

import time
from typing import Any

from server_core.runtime.safe_json import dump_json
from workbench.model.json_members import objects_in, text_in
from workbench.model.short_text import escaped, shortened

_SIZE_UNITS = ("KB", "MB", "GB")
_ABSENT = object()
# How many levels of a schema its text describes.
_MAX_TYPE_DEPTH = 8


def duration(seconds: float | None) -> str:
    """Return "12 ms", "1.24 s", "2 min 5 s"; empty for None."""
    if seconds is None:
        return ""
    if seconds < 0.0095:
        return f"{max(seconds, 0) * 1000:.1f} ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.995:
        return f"{seconds:.2f} s" if seconds < 9.995 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def age(seconds: float) -> str:
    """Return a duration in its largest unit: "12 s", "3 min", "2 h", "5 d"."""
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(0, seconds):.0f} s"


def short_duration(seconds: float | None) -> str:
    """Return a duration in at most eight characters: "1.24 s", "2.1 min", "1.2 h"."""
    if seconds is None or seconds < 59.995:
        return duration(seconds)
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def day_and_time(seconds: float) -> str:
    """Return "22 Nov 14:03" for seconds since the epoch, in local time."""
    return time.strftime("%d %b %H:%M", time.localtime(seconds))


def size(count: int) -> str:
    """Return "812 B", "3.1 KB", "12.4 MB" (1 KB is 1024 bytes)."""
    if count < 1024:
        return f"{count} B"
    amount, power = count / 1024, 0
    while amount >= 1023.95 and power < len(_SIZE_UNITS) - 1:
        amount /= 1024
        power += 1
    return f"{amount:.1f} {_SIZE_UNITS[power]}"


def plural(count: int, noun: str) -> str:
    """Return "1 item", "3 items"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def json_line(value: Any, limit: int = 80) -> str:
    """Return a value as JSON text on one line, shortened to `limit` characters."""
    # Cut before it is converted: the string may be huge.
    if isinstance(value, str):
        value = value[: limit + 1]
    try:
        return shortened(dump_json(value, ensure_ascii=False, default=str), limit)
    except ValueError:
        return "…"


def json_text(value: Any, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    """Return a whole value as JSON text; a note in its place if it is nested too deeply to be written.

    A value that was read may be, since more of the stack is in use here.
    """
    try:
        return dump_json(value, ensure_ascii=False, indent=indent, separators=separators)
    except ValueError:
        return '"(nested too deeply to be shown)"'


def schema_type(schema: Any) -> str:
    """Return the type in a JSON Schema as short text: "list of string", "integer or null"."""
    return _type_text(schema, 0)


def content(item: Any) -> str:
    """Return a content block on one line: its text, or its type ("image/png image, 12.4 KB"). Source: ContentBlock."""
    if not isinstance(item, dict):
        return json_line(item)
    match item.get("type"):
        case "text":
            return shortened(text_in(item, "text"), 200)
        case "image" | "audio" as kind:
            mime = escaped(text_in(item, "mimeType")) or "unknown type"
            return f"{mime} {kind}, {size(base64_size(item.get('data')))}"
        case "resource":
            return f"resource {resource(item.get('resource'))}"
        case "resource_link":
            title = escaped(text_in(item, "title") or text_in(item, "name"))
            mime = escaped(text_in(item, "mimeType"))
            return " ".join(part for part in ("link", escaped(text_in(item, "uri")), title, mime) if part)
        case _:
            return json_line(item, 200)


def resource(contents: Any) -> str:
    """Return the contents of a resource on one line: URI, type and size. Source: Text- and BlobResourceContents."""
    if not isinstance(contents, dict):
        return json_line(contents)
    text = contents.get("text")
    count = len(text.encode("utf-8", "replace")) if isinstance(text, str) else base64_size(contents.get("blob"))
    parts = (text_in(contents, "uri"), text_in(contents, "mimeType"))
    return ", ".join([*(escaped(part) for part in parts if part), size(count)])


def result(value: dict[str, Any]) -> str:
    """Return a tools/call result on one line: its first content block, and the number of the others."""
    items = objects_in(value, "content")
    if not items:
        if "structuredContent" in value:
            return json_line(value["structuredContent"])
        return "failed without a message" if value.get("isError") is True else "empty result"
    first = content(items[0])
    return first if len(items) == 1 else f"{first} (and {len(items) - 1} more)"


def base64_size(data: Any) -> int:
    """Return the number of bytes that base64 text represents; 0 if it is no text."""
    if not isinstance(data, str):
        return 0
    return max(len(data) * 3 // 4 - data[-2:].count("="), 0)


def _type_text(schema: Any, depth: int) -> str:
    if not isinstance(schema, dict) or depth > _MAX_TYPE_DEPTH:
        return "nothing" if schema is False else "any"
    if isinstance(ref := schema.get("$ref"), str):
        return escaped(ref.rsplit("/", 1)[-1]) or "any"
    if "const" in schema:
        return json_line(schema["const"], 40)
    if isinstance(options := schema.get("enum"), list):
        return shortened(" | ".join(json_line(option, 40) for option in options), 60)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(options := schema.get(keyword), list) and options:
            # A dict preserves the order and drops duplicates.
            texts = dict.fromkeys(_type_text(option, depth + 1) for option in options[:20])
            # "null" is last, the others are in their order: sorting is stable.
            return " or ".join(sorted(texts, key=lambda text: text == "null"))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(_type_text({**schema, "type": name}, depth + 1) for name in kind[:7]) or "any"
    if kind == "array" or (kind is None and ("items" in schema or "prefixItems" in schema)):
        return _array_text(schema, depth)
    if kind == "object" and "properties" not in schema and isinstance(schema.get("additionalProperties"), dict):
        return f"map of {_type_text(schema['additionalProperties'], depth + 1)}"
    if kind == "string" and isinstance(schema.get("format"), str):
        return escaped(schema["format"])
    if isinstance(kind, str):
        return escaped(kind)
    return "object" if "properties" in schema else "any"


def _array_text(schema: dict[str, Any], depth: int) -> str:
    if isinstance(prefix := schema.get("prefixItems"), list) and prefix:
        return f"({', '.join(_type_text(item, depth + 1) for item in prefix[:20])})"
    inner = _type_text(schema.get("items", True), depth + 1)
    return "list" if inner == "any" else f"list of {inner}"


def arguments_line(arguments: dict[str, Any], previous: dict[str, Any], limit: int) -> str:
    """Return `name="Ada" times=2`, shortened to a limit; arguments that the previous call had too are last."""
    names = sorted(arguments, key=lambda name: bool(previous.get(name, _ABSENT) == arguments[name]))
    parts: list[str] = []
    for name in names:
        parts.append(f"{escaped(name[:limit])}={json_line(arguments[name], limit)}")
        if sum(map(len, parts)) > limit:
            break
    return shortened(" ".join(parts), limit)
