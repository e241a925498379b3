"""Schemas that the tests of groups and lists share."""

from tests.workbench.tui.hosting import objects

TEXTS = {"type": "array", "items": {"type": "string"}}


CARD = {"title": "card", **objects(number={"type": "string"})}


VOUCHER = {"title": "voucher", **objects(code={"type": "string"}, amount={"type": "number"})}
