"""Which folder may import which: every folder is a row, and so is every module that lies in none.

Rows are as narrow as the code is. A change that needs more adds it here, where the new dependency is visible.
"""

from dataclasses import dataclass

IO = {
    "asyncio", "concurrent", "http", "multiprocessing", "os", "select", "selectors", "shutil", "signal", "socket",
    "sqlite3", "ssl", "subprocess", "tempfile", "threading",
}  # fmt: skip
"""What waits, or reaches out of the process."""


@dataclass(frozen=True)
class Room:
    """What the modules of one folder may import.

    Names are relative to the folder's own package, `server_core` or `workbench`, and separated by spaces.

    Attributes:
        loads: folders that may be imported as a module is loaded.
        later: folders that may be imported in functions, and for types.
        core: of a folder of `workbench`, those of `server_core`.
        libraries: what is neither ours nor the standard library's.
        io: whether they may import what is in `IO`.
    """

    loads: str = ""
    later: str = ""
    core: str = ""
    libraries: str = ""
    io: bool = False


ROOMS = {
    "server_core": Room(
        loads="lazy_names", later="adapters authoring catalog errors execution.context metadata schema settings types"
    ),
    "server_core.__main__": Room(loads="errors process runtime"),
    "server_core.adapters": Room(loads="errors runtime", later="catalog", io=True),
    "server_core.auth": Room(loads="errors oauth", later="auth.broker catalog"),
    "server_core.auth.broker": Room(
        loads="auth errors oauth records.masking runtime",
        later="auth.mock records secrets settings",
        libraries="httpx",
        io=True,
    ),
    "server_core.auth.mock": Room(loads="oauth"),
    "server_core.authoring": Room(
        loads="catalog catalog.building errors protocol",
        later="middleware process resource_server serving settings types",
        io=True,
    ),
    "server_core.catalog": Room(
        loads="errors protocol runtime",
        later="adapters auth loading metadata settings",
        libraries="pydantic_core",
        io=True,
    ),
    "server_core.catalog.building": Room(
        loads="auth catalog errors metadata protocol runtime secrets",
        libraries="jsonschema_rs pydantic pydantic_core typing_extensions",
        io=True,
    ),
    "server_core.core": Room(
        loads="errors execution link records records.capture runtime serving settings transports",
        later="auth.broker authoring catalog holding loading process secrets",
        io=True,
    ),
    "server_core.error_adapters": Room(loads="adapters"),
    "server_core.errors": Room(loads="lazy_names", io=True),
    "server_core.exceptions": Room(loads="errors"),
    "server_core.execution": Room(
        loads=(
            "adapters auth auth.broker catalog catalog.building errors execution.context oauth protocol runtime secrets"
        ),
        later="loading",
        io=True,
    ),
    "server_core.execution.context": Room(
        loads="catalog.building errors execution protocol records.masking runtime types",
        later="auth catalog resource_server serving",
        libraries="pydantic",
        io=True,
    ),
    "server_core.holding": Room(loads="errors protocol records"),
    "server_core.lazy_names": Room(),
    "server_core.link": Room(
        loads="errors execution oauth protocol records records.masking runtime secrets transports",
        later="auth auth.broker catalog core holding loading records.capture",
        libraries="websockets",
        io=True,
    ),
    "server_core.loading": Room(
        loads="authoring catalog catalog.building errors runtime settings", libraries="watchfiles", io=True
    ),
    "server_core.metadata": Room(),
    "server_core.middleware": Room(
        loads="adapters catalog errors execution execution.context protocol runtime types",
        libraries="opentelemetry",
        io=True,
    ),
    "server_core.oauth": Room(
        loads="errors records.masking runtime secrets", libraries="cryptography httpx jwt", io=True
    ),
    "server_core.process": Room(
        loads=(
            "authoring catalog core errors execution loading protocol records runtime serving settings "
            "transports.streamable"
        ),
        later="telemetry",
        libraries="typing_extensions",
        io=True,
    ),
    "server_core.protocol": Room(loads="errors"),
    "server_core.records": Room(loads="protocol records.masking runtime", io=True),
    "server_core.records.capture": Room(loads="errors records runtime", io=True),
    "server_core.records.masking": Room(loads="protocol runtime", io=True),
    "server_core.resource_server": Room(
        loads="errors lazy_names oauth protocol runtime",
        later="execution.context settings",
        libraries="httpx jwt pydantic",
        io=True,
    ),
    "server_core.runtime": Room(loads="errors", libraries="dotenv httpx platformdirs", io=True),
    "server_core.schema": Room(loads="auth authoring execution.context metadata"),
    "server_core.secrets": Room(loads="errors runtime", libraries="cryptography keyring", io=True),
    "server_core.serving": Room(
        loads=(
            "catalog catalog.building errors execution execution.context loading middleware protocol records "
            "records.masking runtime secrets settings transports"
        ),
        later="auth.broker authoring oauth resource_server tasks transports.http_client",
        libraries="watchfiles",
        io=True,
    ),
    "server_core.settings": Room(
        loads="catalog errors lazy_names runtime", later="loading resource_server secrets", io=True
    ),
    "server_core.tasks": Room(
        loads="errors execution.context protocol runtime serving", later="catalog execution settings", io=True
    ),
    "server_core.telemetry": Room(
        loads="adapters catalog errors middleware protocol runtime serving",
        later="core",
        libraries="opentelemetry",
        io=True,
    ),
    "server_core.transports": Room(
        loads="errors protocol records records.masking runtime transports.streamable",
        later="resource_server settings",
        libraries="uvicorn websockets",
        io=True,
    ),
    "server_core.transports.http_client": Room(
        loads="errors oauth protocol runtime transports transports.streamable", libraries="httpx", io=True
    ),
    "server_core.transports.streamable": Room(
        loads="errors protocol records resource_server runtime transports",
        later="settings",
        libraries="httptools uvicorn",
        io=True,
    ),
    "server_core.types": Room(),
    "workbench": Room(),
    "workbench.__main__": Room(loads="cli", core="process", io=True),
    "workbench.cli": Room(
        loads="client model model.definitions model.forms model.lint model.rules",
        later="link model.servers model.traffic replay responder tui workspace scaffolds",
        core=(
            "__main__ auth auth.broker authoring catalog core errors link loading oauth process protocol "
            "records records.capture records.masking runtime secrets settings"
        ),
        libraries="typer",
        io=True,
    ),
    "workbench.client": Room(
        loads="model model.traffic",
        core=(
            "catalog core errors link oauth process protocol records.capture runtime transports transports.http_client"
        ),
        io=True,
    ),
    "workbench.link": Room(
        core="core errors link protocol records runtime transports", libraries="websockets", io=True
    ),
    "workbench.model": Room(
        loads="model.traffic", later="model.forms", core="errors protocol runtime", libraries="PIL yaml"
    ),
    "workbench.model.definitions": Room(loads="model model.forms", core="protocol runtime"),
    "workbench.model.forms": Room(loads="model", core="protocol runtime", libraries="jsonschema_rs"),
    "workbench.model.lint": Room(loads="model", later="model.forms", core="protocol"),
    "workbench.model.messages": Room(
        loads="model model.forms model.traffic", core="errors protocol runtime", libraries="jsonschema_rs"
    ),
    "workbench.model.rules": Room(loads="model model.traffic", core="protocol records runtime"),
    "workbench.model.servers": Room(loads="model model.forms", core="runtime"),
    "workbench.model.traffic": Room(loads="model", core="errors protocol records runtime"),
    "workbench.replay": Room(
        loads="client model model.traffic", core="errors protocol records records.capture runtime transports", io=True
    ),
    "workbench.responder": Room(
        loads="client model model.rules model.traffic",
        core="errors protocol runtime secrets",
        libraries="httpx",
        io=True,
    ),
    "workbench.testing": Room(
        loads="client model model.rules responder",
        core=(
            "auth authoring catalog errors execution lazy_names loading protocol records runtime secrets serving "
            "settings transports"
        ),
        libraries="pydantic pydantic_core pytest",
        io=True,
    ),
    "workbench.tui": Room(
        loads="model model.definitions tui.screens tui.widgets",
        later="client responder tui.widgets.form workspace",
        core="errors protocol runtime",
        libraries="rich textual",
        io=True,
    ),
    "workbench.tui.screens": Room(
        loads=(
            "client model model.forms model.lint model.messages model.rules model.servers model.traffic replay "
            "responder tui tui.widgets tui.widgets.form tui.widgets.questions workspace"
        ),
        later="model.definitions",
        core="errors protocol secrets",
        libraries="textual",
    ),
    "workbench.tui.widgets": Room(
        loads=(
            "model model.definitions model.forms model.lint model.messages model.servers model.traffic tui "
            "tui.widgets.form workspace"
        ),
        core="errors protocol records",
        libraries="rich textual",
    ),
    "workbench.tui.widgets.form": Room(
        loads="model model.forms tui tui.widgets workspace", core="runtime", libraries="rich textual", io=True
    ),
    "workbench.tui.widgets.questions": Room(
        loads="client model model.forms tui tui.widgets tui.widgets.form workspace", libraries="rich textual"
    ),
    "workbench.workspace": Room(
        loads="client model model.forms model.messages model.rules model.servers model.traffic replay",
        later="link model.definitions model.lint responder scaffolds",
        core="errors protocol records records.capture runtime secrets",
        libraries="tomlkit",
        io=True,
    ),
}
