"""Variables that are not settings of a core, and variables of Arcade without an effect here, with the reasons."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from server_core.settings.setting import PREFIX, variables_of
from server_core.settings.table import Settings

PREFIXES = (PREFIX, "MCP_", "ARCADE_")

OTHERS: Mapping[str, str] = {
    "WORKBENCH_HOME": "The folder for captures, tokens and the vault; the user's data folder when not given.",
    "WORKBENCH_RUNTIME": "The folder for the sockets of running cores.",
    "WORKBENCH_ENV_FILE": "The file that is read instead of the project's `.env`.",
    "WORKBENCH_SECRETS_KEY": "The passphrase of the vault; if not given, the key is in a file next to the vault.",
    "WORKBENCH_OAUTH_CLIENT_ID": "The workbench's own client id, for servers that require a registered client.",
    "WORKBENCH_OAUTH_CLIENT_SECRET": "The secret of the client that `WORKBENCH_OAUTH_CLIENT_ID` names.",
    "WORKBENCH_OAUTH_ISSUER": "The authorization server that may receive `WORKBENCH_OAUTH_CLIENT_SECRET`.",
    "WORKBENCH_OAUTH_GRANT": "The grant that the client uses: authorization_code or client_credentials.",
    "WORKBENCH_OAUTH_PRIVATE_KEY_FILE": "The private key of the client, as a PEM file.",
    "WORKBENCH_OAUTH_ALGORITHM": "The algorithm of `WORKBENCH_OAUTH_PRIVATE_KEY_FILE`.",
    "WORKBENCH_OAUTH_CLIENT_METADATA": "The URL of the client's metadata document.",
    "WORKBENCH_OAUTH_REDIRECT_URI": "The redirect URI that the client is registered with.",
    "ARCADE_DEBUG_EXPOSE_DEVELOPER_MESSAGE_IN_TOOL_ERROR_RESPONSES": "Sends messages for developers to agents.",
    "ARCADE_DEBUG_EXPOSE_STACKTRACE_IN_TOOL_ERROR_RESPONSES": "Sends stack traces to agents.",
}
"""Name -> its meaning. They are read from the environment only, where they are needed."""

_NO_CLOUD = "no service of Arcade's authorizes tools; tokens are obtained on this machine"
_NO_SWITCH = "tokens are required when an app or the settings name the authorization servers"
_NO_WORKER = "the server has no worker endpoints; the name is reserved, so tools cannot read its value"
_NO_USAGE = "no usage data leaves this machine"

UNSUPPORTED: Mapping[str, str] = {
    "ARCADE_API_KEY": f"{_NO_CLOUD}; the name is reserved, so tools cannot read its value",
    "ARCADE_API_URL": _NO_CLOUD,
    "ARCADE_API_BASE_URL": _NO_CLOUD,
    "ARCADE_URL": _NO_CLOUD,
    "ARCADE_AUTH_DISABLED": _NO_SWITCH,
    "ARCADE_WORKER_SECRET": _NO_WORKER,
    "ARCADE_SERVER_SECRET": _NO_WORKER,
    "ARCADE_USAGE_TRACKING": _NO_USAGE,
    "ARCADE_DISABLE_AUTOUPDATE": "there is no automatic update",
    "ARCADE_WORK_DIR": "there is no login; `WORKBENCH_HOME` is the data folder",
    "ARCADE_MCP_CHILD_PROCESS": "a file is reloaded within the process that serves it",
}
"""Name -> why it has no effect."""


@dataclass(frozen=True, slots=True)
class UnknownVariable:
    """A variable that is set, but has no effect."""

    name: str
    why: str = ""  # The reason, if the name is in UNSUPPORTED.
    suggestion: str | None = None  # The most similar name that has an effect.


def known_names() -> list[str]:
    return [variable.name for field in fields(Settings) for variable in variables_of(field)] + list(OTHERS)


def unknown_variables(names: Iterable[str]) -> Iterator[UnknownVariable]:
    """Yield those of these names that look like settings, but are not."""
    from server_core.runtime.suggestions import closest_name

    known = known_names()
    for name in sorted({name for name in names if name.startswith(PREFIXES)} - set(known)):
        if name in UNSUPPORTED:
            yield UnknownVariable(name, UNSUPPORTED[name])
        else:
            yield UnknownVariable(name, suggestion=closest_name(name, known))
