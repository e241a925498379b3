"""A token grants a role, and is valid only with the signature of its core."""

import time

import jwt
import pytest

from server_core.link.roles import LinkTokenRefused, Role, sign_token, verify_token
from tests.tables import each_row

KEY = "k" * 64


@each_row("role", Role)
def test_a_token_contains_its_role(role: Role) -> None:
    assert verify_token(KEY, sign_token(KEY, role)) is role


def test_a_token_is_a_jwt_like_any_other() -> None:
    claims = jwt.decode(sign_token(KEY, Role.OPERATOR, 60), KEY, ["HS256"])
    assert claims["role"] == "operator"
    assert 0 < claims["exp"] - time.time() <= 60
    assert verify_token(KEY, signed()) is Role.ADMIN


def test_each_role_includes_the_roles_before_it() -> None:
    assert Role.VIEWER < Role.OPERATOR < Role.ADMIN


def signed(key: str = KEY, algorithm: str = "HS256", **claims: object) -> str:
    return jwt.encode({"role": "admin", "exp": int(time.time()) + 60} | claims, key, algorithm)


def jws(payload: bytes) -> str:
    return jwt.api_jws.encode(payload, KEY, "HS256")


def test_an_invalid_token_is_refused() -> None:
    for token in (
        "",
        "nonsense",
        signed(key="o" * 64),
        signed(exp=1),
        signed(role="emperor"),
        signed(role=3),
        jwt.encode({"role": "admin"}, KEY, "HS256"),
        jwt.encode({"exp": int(time.time()) + 60}, KEY, "HS256"),
        jwt.encode({"role": "admin", "exp": int(time.time()) + 60}, None, "none"),
        jwt.encode({"role": "admin", "exp": int(time.time()) + 60}, KEY, "HS512"),
        signed(exp="never"),
        signed()[:-2] + "é",
        jws(b"[1]"),
        jws(b"{"),
    ):
        with pytest.raises(LinkTokenRefused):
            verify_token(KEY, token)


def test_an_unknown_role_is_reported() -> None:
    with pytest.raises(ValueError, match="use viewer, operator or admin"):
        Role.from_name("emperor")
