"""Exceptions of HTTP clients, compared with the errors of Arcade's adapter.

The cases are in `http_matrix.json`: the exception, the error of Arcade's adapter (`theirs`), and if our error differs
on purpose, that error (`ours`) and the reason (`why`).
"""

import json
import ssl
from pathlib import Path
from typing import Any

import httpx
import pytest

from server_core.adapters.http import HttpAdapter
from server_core.errors import ToolRuntimeError
from tests.server_core.adapters.families import of

pytestmark = pytest.mark.promises("error adapters")

CASES: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("http_matrix.json").read_text("utf-8"))
URL = "https://user:pw@api.example.com:8443/v1/x?token=SECRET#f"
REQUEST = httpx.Request("GET", URL)


class Response:
    """A response of `requests`; it is falsy for an error status."""

    def __init__(self, status: int, headers: dict[str, str]) -> None:
        self.status_code, self.headers, self.request = status, headers, REQUEST

    def __bool__(self) -> bool:
        return False


def raised(case: dict[str, Any]) -> BaseException:
    name, status, headers = case["raised"], case.get("status"), case.get("headers", {})
    if case["library"] == "requests":
        response = None if status is None else Response(status, headers)
        return of("requests.exceptions", name, f"failed for {URL}", response=response)
    if case["library"] == "plain":
        return ValueError(URL)
    if status is not None:
        response = httpx.Response(status, headers=headers, request=REQUEST)
        return httpx.HTTPStatusError(f"{status} for url {URL}", request=REQUEST, response=response)
    kind = getattr(httpx, name)
    error: BaseException = kind(f"failed for {URL}")
    if isinstance(error, httpx.RequestError):
        error.request = REQUEST
    if "cause" in case:
        error.__cause__ = ssl.SSLCertVerificationError("self-signed certificate")
    return error


def facts(error: ToolRuntimeError) -> dict[str, Any]:
    return {
        "class": type(error).__name__,
        "kind": str(error.kind),
        "can_retry": error.can_retry,
        "status_code": error.status_code,
        "retry_after_ms": getattr(error, "retry_after_ms", None),
        "message": error.message,
    }


def test_each_exception_becomes_the_same_error_or_a_listed_difference() -> None:
    for name in CASES:
        case = CASES[name]
        error = HttpAdapter().from_exception(raised(case))
        theirs = case["theirs"]
        expected = {**(theirs or {}), **case.get("ours", {})}
        assert (None if error is None else facts(error)) == (expected or None)


def test_no_secret_of_a_url_is_in_the_error() -> None:
    for name in CASES:
        error = HttpAdapter().from_exception(raised(CASES[name]))
        text = "" if error is None else f"{error.message} {error.developer_message} {error.extra}"
        assert "SECRET" not in text
        assert "user:pw" not in text


def test_each_difference_is_real_and_has_a_reason() -> None:
    differing = {name: case for name, case in CASES.items() if "ours" in case}
    assert differing
    for case in differing.values():
        assert case["why"]
        assert {**(case["theirs"] or {}), **case["ours"]} != case["theirs"]
