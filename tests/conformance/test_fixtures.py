"""The fixtures of the conformance suite are whole."""

from server_core.loading.project import Project
from server_core.loading.project_source import AppSource
from tests.conformance.fixtures import app


def test_every_fixture_loads_without_a_problem() -> None:
    generation = Project(AppSource(app)).load()
    assert [problem.message for problem in generation.problems] == []
    assert set(generation.catalog.prompts) == {
        "test_simple_prompt",
        "test_prompt_with_arguments",
        "test_prompt_with_embedded_resource",
        "test_prompt_with_image",
        "test_input_required_result_prompt",
    }


def test_the_first_tool_of_the_list_needs_no_arguments() -> None:
    # The suite calls it with none, whatever it is.
    tool = next(iter(Project(AppSource(app)).load().catalog.tools.values()))
    assert (tool.name, tool.input_schema.get("required", [])) == ("test_simple_text", [])
