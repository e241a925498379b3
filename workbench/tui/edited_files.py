"""The files of the user that the palette opens in the editor: the configuration, and the saved calls of the project."""

from typing import TYPE_CHECKING

from workbench.tui.external_editor import edit

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


def edit_config(app: "WorkbenchApp") -> None:
    """Open the configuration in the editor, and use its theme; keys are those of the next terminal."""
    from workbench.workspace.config_file import config_path, read_config

    path = config_path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        app.notify(f"{path.parent} cannot be created: {error.strerror}.", severity="error", markup=False)
        return
    keys = read_config().keys
    if not edit(app, str(path), 1):
        return
    config = read_config()
    app.use_theme(config.theme)
    if config.problems:
        app.notify(f"Mistakes in config.toml: {'; '.join(config.problems)}", severity="error", markup=False)
    elif config.keys != keys:
        app.notify("The new keys are those of the next terminal.", markup=False)


def edit_saved_calls(app: "WorkbenchApp") -> None:
    edit(app, str(app.workspace.saved_calls.file.path), 1)
