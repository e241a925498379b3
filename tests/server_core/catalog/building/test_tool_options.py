"""The arguments of `@tool`: how mistakes are reported, and what clients get."""

import functools
from typing import Any

import pytest

from server_core import Context, MCPApp, prompt, resource, tool
from server_core.auth import GitHub
from server_core.catalog.building.tool_options import deduplicate, task_support_of, ui_uri
from server_core.catalog.declarations import declaration_of
from server_core.metadata import Behavior, Classification, Operation, ServiceDomain, ToolMetadata
from server_core.types import ToolExecution
from tests.server_core.ports import problems_of, tool_of
from tests.tables import each_row

pytestmark = pytest.mark.promises("tool options")


def search(text: str, context: Context) -> str:
    """Search."""
    return text


@resource("ui://results")
def results() -> str:
    return "<p>"


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": "has space"}, "Clients reject this name: it must have 1 to 128 letters"),
    ({"name": 5}, "Its name is int, not a string."),
    ({"title": ["x"]}, "Its title is list, not a string."),
    ({"desc": 3}, "Its description is int, not a string."),
    ({"requires_secrets": "KEY"}, "The secrets must be a list of keys."),
    ({"requires_secrets": 3}, "The secrets must be a list of keys."),
    ({"requires_secrets": [1, "A"]}, "Secret keys must be strings (error in tool search)."),
    ({"requires_secrets": ["A", " "]}, "Secrets must have a non-empty key (error in tool search)."),
    ({"requires_metadata": "client_id"}, "The required metadata must be a list of keys."),
    ({"requires_metadata": [1]}, "Metadata must be strings (error in tool search)."),
    ({"requires_metadata": [""]}, "Metadata must have a non-empty key (error in tool search)."),
    ({"requires_metadata": ["CLIENT_ID"]}, "Tool search declares metadata key 'client_id', which requires"),
    ({"requires_auth": GitHub}, "Its requires_auth is type, not a provider."),
    ({"requires_auth": "github"}, "Its requires_auth is str, not a provider."),
    ({"metadata": {"a": 1}}, "Expected a ToolMetadata instance for 'metadata', but got dict."),
    ({"timeout": 0}, "The timeout 0 is not a number of seconds above zero."),
    ({"timeout": float("nan")}, "The timeout nan is not a number"),
    ({"timeout": True}, "The timeout True is not a number"),
    ({"retries": -1}, "The retries -1 are not a whole number from 0 to 10."),
    ({"retries": 11}, "The retries 11 are not a whole number"),
    ({"retries": 1.5}, "The retries 1.5 are not a whole number"),
    ({"retries": True}, "The retries True are not a whole number"),
    ({"adapters": object()}, "The adapters must be a list."),
    ({"adapters": [object(), 3]}, "All adapters must follow the ErrorAdapter protocol. Invalid adapters: object, int"),
    ({"ui": 3}, "Its ui is int, neither a URI nor a resource."),
    ({"ui": ""}, "Its ui is str, neither a URI nor a resource."),
    ({"ui": search}, "Its ui is function, neither"),
    ({"annotations": ["readOnlyHint"]}, "The annotations must be a dict that can be represented in JSON."),
    ({"meta": {"k": object()}}, "The meta must be a dict that can be represented in JSON."),
    ({"meta": {"arcade": {}}}, "The 'arcade' key in meta is reserved. Use the 'metadata' parameter"),
    ({"icons": "https://a.example/i.png"}, "Its icons are not valid."),
    ({"nmae": "x"}, "@tool has no argument 'nmae'."),
]  # fmt: skip


def test_invalid_options_are_problems_and_raise_nothing() -> None:
    for options, message in WRONG:
        (problem,) = problems_of(search, **options)
        assert message in problem


def test_every_fault_of_a_tool_is_reported_at_once_and_hides_no_other_tool() -> None:
    app = MCPApp("x", toolkit="")

    @app.tool(requires_secrets=[1], timeout=-1, retries="often", ui=3, unknown=1)  # type: ignore[call-overload, untyped-decorator]
    def bad(a, *rest: int) -> object:  # type: ignore[no-untyped-def]
        return a

    @app.tool
    def good() -> str:
        """Be good."""
        return ""

    catalog, problems = app.build()
    assert list(catalog.tools) == ["good"]
    assert [(problem.severity, problem.text.partition(" ")[0]) for problem in problems] == [
        ("error", "Parameter"),
        ("error", "Parameter"),
        ("error", "@tool"),
        ("error", "Secret"),
        ("error", "The"),
        ("error", "The"),
        ("error", "Its"),
        ("warning", "Tool"),
    ]
    assert all(problem.subject == "bad" and problem.fix for problem in problems)


def test_an_unknown_argument_is_reported_with_a_suggestion() -> None:
    app = MCPApp("x", toolkit="")
    app.tool(requires_secret=["A"])(search)
    (problem,) = app.build()[1]
    assert problem.fix == "Write 'requires_secrets' if that is meant."


@each_row(
    ("key", "fault", "fix"),
    [
        (
            "MCP_TOKEN",
            "MCP_TOKEN is reserved for the server's own settings, and tools cannot read it",
            "use another name.",
        ),
        ("arcade_api_key", "arcade_api_key is reserved for", "use another name."),
        ("api-key", "'api-key' is not a name of a secret", "use letters, digits and `_`, as in API_KEY."),
    ],
)
def test_a_secret_that_no_tool_can_get_is_reported_where_it_is_declared(key: str, fault: str, fix: str) -> None:
    app = MCPApp("test", toolkit="")
    app.tool(requires_secrets=["API_KEY", key])(search)
    catalog, (problem,) = app.build()
    assert list(catalog.tools) == ["search"]
    assert problem.severity == "warning"
    assert fault in problem.message
    assert problem.fix == f"In `requires_secrets`, {fix}"


def test_a_name_that_only_its_toolkit_makes_too_long_is_mended_there() -> None:
    app = MCPApp("a" * 130)
    app.tool(search)
    _, (problem,) = app.build()
    assert "Clients reject this name" in problem.message
    assert problem.fix == "Give the app a shorter name, or a `toolkit=`."


def test_duplicate_keys_are_removed_ignoring_case() -> None:
    assert deduplicate(["B", "a", "A", "b", "c"]) == ("B", "a", "c")
    assert tool_of(search, requires_secrets=["KEY", "key"]).secrets == ("KEY",)


class Execution:
    def __init__(self) -> None:
        self.taskSupport = "optional"


@each_row("execution", [{"taskSupport": "optional"}, ToolExecution(taskSupport="optional"), Execution()])
def test_execution_may_be_a_dict_or_an_object(execution: Any) -> None:
    assert task_support_of(execution) == "optional"
    assert tool_of(search, execution=execution).definition["execution"] == {"taskSupport": "optional"}


@each_row("ui", ["ui://results", results, declaration_of(results)])
def test_the_ui_of_a_tool_is_a_uri_or_a_resource(ui: Any) -> None:
    assert ui_uri(ui) == "ui://results"
    assert tool_of(search, ui=ui).definition["_meta"] == {"ui": {"resourceUri": "ui://results"}}


def test_clients_get_the_requirements_and_metadata_of_a_tool() -> None:
    tool = tool_of(
        search,
        title="Search",
        requires_auth=GitHub(scopes=["repo"]),
        requires_secrets=["A", "B"],
        requires_metadata=["client_id", "team"],
        metadata=ToolMetadata(
            classification=Classification(service_domains=[ServiceDomain.EMAIL]),
            behavior=Behavior(
                operations=[Operation.READ], read_only=True, destructive=False, idempotent=True, open_world=True
            ),
            extras={"a": 1},
        ),
        meta={"k": 1, "ui": {"visibility": ["model"]}},
        ui="ui://x",
        annotations={"idempotentHint": False},
    )
    assert tool.definition["annotations"] == {
        "title": "Search",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": True,
    }
    assert tool.definition["_meta"] == {
        "k": 1,
        "ui": {"visibility": ["model"], "resourceUri": "ui://x"},
        "arcade": {
            "requirements": {
                "authorization": {"provider_id": "github", "provider_type": "oauth2", "oauth2": {"scopes": ["repo"]}},
                "secrets": [{"key": "A"}, {"key": "B"}],
                "metadata": [{"key": "client_id"}, {"key": "team"}],
            },
            "metadata": {
                "classification": {"service_domains": ["email"]},
                "behavior": {
                    "operations": ["read"],
                    "read_only": True,
                    "destructive": False,
                    "idempotent": True,
                    "open_world": True,
                },
                "extras": {"a": 1},
            },
        },
    }


def test_a_tool_without_options_has_no_meta_and_no_annotations() -> None:
    definition = tool_of(search).definition
    assert "_meta" not in definition
    assert "annotations" not in definition


def test_examples_are_in_the_schema_and_invalid_examples_are_left_out() -> None:
    app = MCPApp("x", toolkit="")
    examples = [{"text": "milk"}, {"txet": "milk"}, "milk", {"text": object()}]
    app.tool(examples=examples)(search)
    catalog, problems = app.build()
    assert catalog.tools["search"].definition["inputSchema"]["examples"] == [{"text": "milk"}]
    assert [(problem.severity, problem.text) for problem in problems] == [
        (
            "warning",
            "Example 2 is omitted: Invalid input: text: Field required; txet: Extra inputs are not permitted",
        ),
        ("warning", "Example 3 is omitted: it is str, not a dict."),
        (
            "warning",
            "Example 4 is omitted: it cannot be represented in JSON: Object of type object is not JSON serializable.",
        ),
    ]


def test_examples_that_are_no_list_are_left_out() -> None:
    app = MCPApp("x", toolkit="")
    app.tool(examples=3)(search)  # type: ignore[call-overload]
    catalog, problems = app.build()
    assert [problem.text for problem in problems] == ["The examples must be a list."]
    assert catalog.tools["search"].examples == ()


def test_the_list_of_adapters_stays_as_its_author_wrote_it() -> None:
    class Adapter:
        slug = "mine"

        def from_exception(self, error: BaseException) -> None:
            return None

    adapters: list[Any] = [Adapter()]
    assert tool_of(search, adapters=adapters).adapters == tuple(adapters)
    assert len(adapters) == 1


def test_desc_and_description_are_the_same_for_tools_resources_and_prompts() -> None:
    app = MCPApp("x", toolkit="")
    for word in ("desc", "description"):
        app.tool(name=f"t_{word}", **{word: "Greet."})(search)  # type: ignore[call-overload]
        app.resource(f"r://{word}", **{word: "Greet."})(lambda: "")
        app.prompt(name=f"p_{word}", **{word: "Greet."})(lambda: "")  # type: ignore[call-overload]
    catalog, problems = app.build()
    assert problems == ()
    offered = [*catalog.tools.values(), *catalog.resources.values(), *catalog.prompts.values()]
    assert [item.definition["description"] for item in offered] == ["Greet."] * 6
    assert prompt(desc="Greet.")(search) is search


def test_a_deprecated_tool_has_that_in_its_description_in_either_order() -> None:
    @tool
    @tool.deprecated("use other")
    def below() -> str:
        """Old."""
        return ""

    @tool.deprecated("use other")
    @tool(desc="Old.")
    def above() -> str:
        return ""

    for function in (below, above):
        app = MCPApp("x", toolkit="")
        app.add_tool(function)
        catalog, problems = app.build()
        ((_, old_tool),) = catalog.tools.items()
        assert problems == ()
        assert old_tool.deprecation == "use other"
        assert old_tool.definition["description"] == "[DEPRECATED: use other] Old."
        assert function() == ""


def test_deprecation_requires_a_text() -> None:
    @tool.deprecated(3)  # type: ignore[arg-type]
    def old() -> str:
        return ""

    assert problems_of(old) == ["Tool 'old': @tool.deprecated needs a string that names the replacement."]


def test_a_decorated_function_has_the_marks_of_arcade_too() -> None:
    auth = GitHub()

    @tool(desc="Greet.", requires_auth=auth, requires_secrets=["A"], requires_metadata=["team"], ui="ui://x")
    @tool.deprecated("old")
    def greet_user() -> str:
        return ""

    marks = {name: value for name, value in vars(greet_user).items() if name.startswith("__tool_")}
    assert marks == {
        "__tool_name__": "GreetUser",
        "__tool_description__": "Greet.",
        "__tool_requires_auth__": auth,
        "__tool_requires_secrets__": ["A"],
        "__tool_requires_metadata__": ["team"],
        "__tool_metadata__": None,
        "__tool_ui__": "ui://x",
        "__tool_execution__": None,
        "__tool_deprecation_message__": "old",
    }


def test_an_explicit_name_is_stored_on_the_function_unchanged() -> None:
    @tool(name="custom_name")
    def own() -> str:
        return ""

    assert vars(own)["__tool_name__"] == "custom_name"


def test_a_callable_without_attributes_can_be_a_tool_of_an_app() -> None:
    class Shop:
        def sell(self, count: int) -> int:
            """Sell."""
            return count

    assert tool_of(Shop().sell).name == "sell"
    assert tool_of(functools.partial(search, text="x"), name="x").name == "x"


def test_a_positional_text_is_refused_with_a_fix() -> None:
    with pytest.raises(TypeError, match='write `name="fetch"`'):
        tool("fetch")  # type: ignore[call-overload]
