"""Secrets in arguments are recognised by their schema."""

from workbench.model.forms.secret_members import left_out, without_secrets


def test_secrets_are_recognised_behind_references_and_alternatives_and_in_lists_and_maps() -> None:
    secret = {"type": "string", "format": "password"}
    optional = {"anyOf": [secret, {"type": "null"}]}
    schema = {
        "$defs": {"Login": {"properties": {"pin": secret, "user": {}}}, "Loop": {"$ref": "#/$defs/Loop"}},
        "allOf": [{"properties": {"login": {"$ref": "#/$defs/Login"}}}],
        "properties": {
            "code": optional,
            "either": {"oneOf": [{"properties": {"a": {}}}, {"properties": {"a": optional}}]},
            "codes": {"items": secret},
            "references": {"items": secret},
            "pair": {"prefixItems": [{}, secret]},
            "map": {"additionalProperties": secret},
            "loop": {"$ref": "#/$defs/Loop"},
        },
    }
    value = {
        "login": {"pin": "1", "user": "ada"},
        "code": "2",
        "either": {"a": "3"},
        "codes": ["4", "${secret:CODE}"],
        "references": ["${secret:CODE}"],
        "pair": ["x", "5"],
        "map": {"a": "6"},
        "loop": {"a": 7},
    }
    rest = without_secrets(value, schema)
    assert [".".join(map(str, path)) for path in left_out(value, rest)] == [
        *("login.pin", "code", "either.a", "codes", "pair", "map.a")
    ]
    assert rest == {
        "login": {"user": "ada"},
        "either": {},
        "references": ["${secret:CODE}"],
        "map": {},
        "loop": {"a": 7},
    }
