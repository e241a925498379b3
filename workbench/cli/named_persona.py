"""The persona that a command names."""

from server_core.errors import ConfigurationError
from workbench.cli import console
from workbench.client.target import Target
from workbench.model.personas import WORKBENCH, Persona


def find_persona(target: Target, name: str) -> Persona:
    """Return a known persona, or that of `workbench.yaml`; ConfigurationError if there is none of this name."""
    if not name:
        return WORKBENCH
    from workbench.workspace.project_file import folder_of_target, read_personas

    personas = read_personas(folder_of_target(target))
    for problem in personas.problems:
        console.warn(f"workbench.yaml: {problem}")
    try:
        return personas.find(name)
    except ValueError as error:
        raise ConfigurationError(f"--persona: {error}") from None
