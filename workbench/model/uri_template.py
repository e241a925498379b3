"""URI templates: the variables in a template, and its expansion.

Expressions of levels 1 to 3 are supported, with one or several variables; modifiers are parsed and ignored.
Source: RFC 6570.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote

_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_RESERVED = ":/?#[]@!$&'()*+,;="

# RFC 6570 appendix A: the text before the first value, the separator, and whether names are written.
_OPERATORS: dict[str, tuple[str, str, bool]] = {
    "": ("", ",", False),
    "+": ("", ",", False),
    "#": ("#", ",", False),
    ".": (".", ".", False),
    "/": ("/", "/", False),
    ";": (";", ";", True),
    "?": ("?", "&", True),
    "&": ("&", "&", True),
}


def variables(template: str) -> list[str]:
    """Return the names of the variables, each once, in the order of their first use."""
    names = (name for match in _EXPRESSION.finditer(template) for name in _names(match[2]))
    return list(dict.fromkeys(name for name in names if name))


def expand(template: str, values: Mapping[str, str]) -> str:
    """Return the URI; variables without a value are left out, as the RFC requires."""
    return _EXPRESSION.sub(lambda match: _expand_expression(match[1], _names(match[2]), values), template)


def _names(expression: str) -> list[str]:
    return [name.strip().split(":")[0].rstrip("*") for name in expression.split(",")]


def _expand_expression(operator: str, names: list[str], values: Mapping[str, str]) -> str:
    first, between, is_named = _OPERATORS[operator]
    safe = _RESERVED if operator in ("+", "#") else ""
    parts = []
    for name in names:
        if name not in values:
            continue
        value = quote(values[name], safe=safe)
        if not is_named:
            parts.append(value)
        else:
            # RFC 6570 section 3.2.7: a path-style parameter without a value has no "=".
            parts.append(name if operator == ";" and not value else f"{name}={value}")
    return first + between.join(parts) if parts else ""
