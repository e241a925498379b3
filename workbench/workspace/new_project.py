"""Create a project of the template in a folder that a user has typed."""

from server_core.errors import ConfigurationError
from workbench.workspace.value_files import typed_path


def create_project(text: str) -> str | None:
    """Create the project; return why that is not possible, or None if it exists now."""
    import scaffolds

    if not text.strip():
        return "Enter a folder, or press Esc."
    folder = typed_path(text)
    try:
        scaffolds.create("demo", folder.name, folder)
    except ConfigurationError as error:
        return f"{error}."
    return None
