"""What a test writes (models, dates, enums, paths) as it is sent: in its JSON form."""

import json
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


def json_form(members: Mapping[str, Any]) -> Json:
    """Return an object with everything in it in its JSON form.

    Raises:
        ValueError: when something in it has none.
    """
    plain: Json
    try:
        plain = json.loads(json.dumps(dict(members)))
    except (TypeError, ValueError):
        from pydantic_core import to_jsonable_python

        plain = to_jsonable_python(dict(members))
    return plain
