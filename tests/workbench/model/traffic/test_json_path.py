"""Paths of values."""

import json

from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.json_path import path_of


def test_each_value_has_its_path() -> None:
    document = JsonDocument(json.dumps({"a": [1, {"b": 2}, [3]], "c d": {'"': None}}).encode())
    paths = [path_of(document, line) for line in range(document.line_count)]
    assert paths == [
        "$",
        "$.a",
        "$.a[0]",
        "$.a[1]",
        "$.a[1].b",
        "$.a[1]",
        "$.a[2]",
        "$.a[2][0]",
        "$.a[2]",
        "$.a",
        '$["c d"]',
        '$["c d"]["\\""]',
        '$["c d"]',
        "$",
    ]
