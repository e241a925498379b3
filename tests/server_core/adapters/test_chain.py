"""Which adapters a tool has, and in which order they are tried."""

from typing import Any

import httpx
import pytest

from server_core.adapters.chain import adapters_for, convert_error
from server_core.adapters.google import GoogleAdapter
from server_core.adapters.http import HttpAdapter
from server_core.auth.providers import PROVIDERS
from server_core.auth.requirement import AuthRequirement
from server_core.errors import FatalToolError, UpstreamError
from tests.server_core.ports import tool_of

pytestmark = pytest.mark.promises("error adapters", "tool authorization")


def tool(provider: str | None = None, *, id: str | None = None, **options: Any) -> Any:
    def fetch() -> str:
        """Fetch."""
        return ""

    if provider is not None:
        options["requires_auth"] = AuthRequirement(provider, id)
    return tool_of(fetch, **options)


def slugs(tool: Any) -> list[str]:
    return [adapter.slug for adapter in adapters_for(tool)]


class Mine:
    slug = "mine"

    def from_exception(self, error: BaseException) -> Any:
        return FatalToolError("mine") if isinstance(error, KeyError) else None


class Broken:
    slug = "broken"

    def from_exception(self, error: BaseException) -> Any:
        raise RuntimeError("token=hunter2")


class Strange:
    slug = "strange"

    def from_exception(self, error: BaseException) -> Any:
        return "nonsense"


def test_the_adapters_of_the_author_come_first_then_the_service_graphql_and_http() -> None:
    assert slugs(tool()) == ["_graphql", "_http"]
    assert slugs(tool("google", adapters=[Mine()])) == ["mine", "_google_api_client", "_graphql", "google"]
    assert slugs(tool("microsoft-powerbi")) == ["_microsoft_powerbi", "_graphql", "microsoft-powerbi"]
    assert slugs(tool("slack")) == ["_slack_sdk", "_graphql", "slack"]


def test_http_errors_name_the_service() -> None:
    for provider in PROVIDERS:
        request = httpx.Request("GET", "https://api.example.com/x")
        raised = httpx.HTTPStatusError("no", request=request, response=httpx.Response(404, request=request))
        error = convert_error(raised, adapters_for(tool(provider)))
        assert isinstance(error, UpstreamError)
        assert error.extra is not None
        assert error.extra["service"] == provider


def test_a_registration_of_the_author_is_named_too() -> None:
    assert slugs(tool("", id="my-bank")) == ["_graphql", "my-bank"]


def test_of_each_type_only_the_first_is_used_and_the_list_of_the_author_is_unchanged() -> None:
    own = HttpAdapter("mine")
    adapters = [own, GoogleAdapter()]
    made = tool("google", adapters=adapters)
    assert slugs(made) == ["mine", "_google_api_client", "_graphql"]
    assert slugs(made) == ["mine", "_google_api_client", "_graphql"]
    assert adapters == [own, adapters[1]]


def test_an_adapter_that_fails_is_skipped_and_reported_to_the_author() -> None:
    problems: list[str] = []
    error = convert_error(KeyError("x"), [Broken(), Strange(), Mine()], problems)
    assert error is not None
    assert error.message == "mine"
    assert problems == [
        "The error adapter Broken was skipped: it raised RuntimeError: token=hunter2.",
        "The error adapter Strange was skipped: it returned str instead of a ToolRuntimeError.",
    ]


def test_an_unknown_exception_is_not_changed() -> None:
    assert convert_error(ValueError("x"), adapters_for(tool("github"))) is None


def test_an_exception_with_an_unreadable_text_is_reported() -> None:
    class Hostile(TimeoutError):
        def __str__(self) -> str:
            raise RuntimeError

    error = convert_error(Hostile(), adapters_for(tool()))
    assert error is not None
    assert error.developer_message == "Hostile: (its text cannot be read: __str__ raised RuntimeError)"
