"""Exceptions with attributes that raise or have unexpected values: each adapter reports what it can read."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from server_core.adapters.google import GoogleAdapter
from server_core.adapters.graphql import GraphQLAdapter
from server_core.adapters.http import HttpAdapter
from server_core.adapters.microsoft import MicrosoftAdapter
from server_core.adapters.slack import SlackAdapter
from server_core.errors import ToolRuntimeError, UpstreamRateLimitError
from tests.server_core.adapters.families import of
from tests.tables import each_row

pytestmark = pytest.mark.promises("error adapters")

SECRET = "hunter2"
Make = Callable[..., BaseException]

LIBRARIES: dict[str, tuple[Any, str, str]] = {
    "httpx": (HttpAdapter, "httpx", "HTTPStatusError"),
    "requests": (HttpAdapter, "requests.exceptions", "HTTPError"),
    "gql": (GraphQLAdapter, "gql.transport.exceptions", "TransportServerError"),
    "gql errors": (GraphQLAdapter, "gql.transport.exceptions", "TransportQueryError"),
    "google": (GoogleAdapter, "googleapiclient.errors", "HttpError"),
    "google calls": (GoogleAdapter, "google.api_core.exceptions", "GoogleAPICallError"),
    "microsoft": (MicrosoftAdapter, "kiota_abstractions.api_error", "APIError"),
    "slack": (SlackAdapter, "slack_sdk.errors", "SlackApiError"),
    "slack tokens": (SlackAdapter, "slack_sdk.errors", "SlackTokenRotationError"),
}


def raising(*_: object, **__: object) -> Any:
    raise LookupError(SECRET)


class Failing:
    """Every attribute raises."""

    __getattr__ = raising
    __str__ = raising
    __repr__ = raising
    __iter__ = raising
    __bool__ = raising
    __eq__ = raising
    __hash__ = object.__hash__


class FailingMapping(Mapping[str, Any]):
    """A mapping that cannot be read."""

    def __getitem__(self, key: str) -> Any:
        raise LookupError(SECRET)

    def __iter__(self) -> Iterator[str]:
        raise LookupError(SECRET)

    def __len__(self) -> int:
        return 1


def hostile(base: type[BaseException], **members: Any) -> BaseException:
    """Return an exception of a library's class with these attributes, whose text cannot be read."""
    made: Any = type("Hostile", (base,), {"__str__": raising, "__repr__": raising, **members})
    error: BaseException = made.__new__(made)
    return error


def base_of(library: str) -> type[BaseException]:
    _, module, name = LIBRARIES[library]
    base: type[BaseException] = httpx.HTTPStatusError if module == "httpx" else type(of(module, name))
    return base


@each_row("library", LIBRARIES)
def test_an_exception_with_hostile_members_is_reported(library: str) -> None:
    for value in (
        property(raising),
        Failing(),
        FailingMapping(),
        [401],
        {"error": f"prose with {SECRET}", "code": f"prose with {SECRET}"},
        itertools.repeat({"extensions": {"code": "FORBIDDEN"}}),
        b"hunter2",
        SECRET,
        10**30,
        SimpleNamespace(status_code=Failing(), headers=Failing(), url=Failing(), method=Failing(), data=Failing()),
        SimpleNamespace(status=SECRET, headers=FailingMapping(), data=FailingMapping(), code=[]),
    ):
        names = "response resp response_status_code response_headers error errors code request url uri error_details"
        raised = hostile(base_of(library), **dict.fromkeys([*names.split(), "reason", "api_error"], value))
        error = LIBRARIES[library][0]().from_exception(raised)
        assert isinstance(error, ToolRuntimeError)
        assert SECRET not in error.message
        assert "Hostile" in str(error.developer_message)


@each_row(
    ("adapter", "module", "name", "holder"),
    [
        (HttpAdapter, "requests.exceptions", "HTTPError", lambda item: {"response": SimpleNamespace(status_code=item)}),
        (GraphQLAdapter, "gql.transport.exceptions", "TransportServerError", lambda item: {"code": item}),
        (GoogleAdapter, "googleapiclient.errors", "HttpError", lambda item: {"resp": SimpleNamespace(status=item)}),
        (MicrosoftAdapter, "kiota_abstractions.api_error", "APIError", lambda item: {"response_status_code": item}),
        (
            SlackAdapter,
            "slack_sdk.errors",
            "SlackApiError",
            lambda item: {"response": SimpleNamespace(status_code=item)},
        ),
    ],
)
def test_an_invalid_status_is_not_repeated_to_the_agent(
    adapter: Any, module: str, name: str, holder: Callable[[Any], dict[str, Any]]
) -> None:
    for status in (
        SECRET,
        "404",
        404.5,
        [404],
        0,
        42,
        999,
    ):
        error = adapter().from_exception(of(module, name, **holder(status)))
        assert error.message.endswith(": the response has an invalid HTTP status.")
        assert str(status) not in error.message
        assert (error.status_code, error.can_retry) == (None, False)
        assert str(error.developer_message).startswith(f"status {status}; ")


@pytest.mark.parametrize("token", ["ghp_0123456789abcdef", "ya29.0123456789abcdef"])
@pytest.mark.parametrize(
    ("adapter", "raised"),
    [
        (
            GraphQLAdapter,
            lambda item: of(
                "gql.transport.exceptions",
                "TransportQueryError",
                errors=[{"extensions": {"code": item}}, {"type": item}],
            ),
        ),
        (SlackAdapter, lambda item: of("slack_sdk.errors", "SlackApiError", response={"error": item})),
        (
            MicrosoftAdapter,
            lambda item: of(
                "kiota_abstractions.api_error", "APIError", response_status_code=400, error=SimpleNamespace(code=item)
            ),
        ),
    ],
)
def test_a_token_in_place_of_a_code_is_hidden(adapter: Any, raised: Callable[[str], BaseException], token: str) -> None:
    error = adapter().from_exception(raised(token))
    assert token not in f"{error.message}{error.extra}"


@each_row(
    "headers",
    [
        {b"Retry-After": b"5"},
        {"RETRY-AFTER": ["5", "7"]},
        {object(): object(), "retry-after": "5"},
        {Failing(): Failing(), "retry-after": "5"},
    ],
    ids=["bytes", "lists", "objects", "failing"],
)
def test_headers_of_any_kind_are_read(headers: Any) -> None:
    raised = of("requests.exceptions", "HTTPError", response=SimpleNamespace(status_code=429, headers=headers))
    error = HttpAdapter().from_exception(raised)
    assert isinstance(error, UpstreamRateLimitError)
    assert error.retry_after_ms == 5000


def test_endless_headers_are_read_up_to_a_limit() -> None:
    class Endless(dict[str, str]):
        def items(self) -> Any:
            return itertools.repeat(("x-limit", "1"))

    raised = of("requests.exceptions", "HTTPError", response=SimpleNamespace(status_code=500, headers=Endless()))
    assert HttpAdapter().from_exception(raised) is not None


def test_cyclic_causes_are_followed_once() -> None:
    first, second = httpx.ConnectError("first"), httpx.ConnectError("second")
    first.__cause__, second.__cause__ = second, first
    error = HttpAdapter().from_exception(first)
    assert error is not None
    assert error.kind == "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE"


def test_the_text_of_an_exception_is_truncated_before_it_is_searched_for_secrets() -> None:
    error = HttpAdapter().from_exception(httpx.ConnectError("x" * 3_000_000))
    assert error is not None
    assert len(str(error.developer_message)) < 110_000
