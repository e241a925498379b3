"""Convert the arguments in a test (models, dates, enums, paths) to JSON values."""

import json
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


def json_form(members: Mapping[str, Any]) -> Json:
    """Return an object with all its members in their JSON form.

    Raises:
        ValueError: when a member has none.
    """
    plain: Json
    try:
        plain = json.loads(json.dumps(dict(members)))
    except (TypeError, ValueError):
        from pydantic_core import to_jsonable_python

        plain = to_jsonable_python(dict(members))
    return plain
