"""The fixtures of the conformance suite are whole."""

from server_core.project import Project
from tests.conformance import server


def test_every_fixture_loads_without_a_problem() -> None:
    generation = Project.from_app(server.app).load()
    assert [problem.message for problem in generation.problems] == []
    assert set(generation.catalog.prompts) == {
        "test_simple_prompt",
        "test_prompt_with_arguments",
        "test_prompt_with_embedded_resource",
        "test_prompt_with_image",
    }
