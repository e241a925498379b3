"""The error messages for people and models when a tool lacks secrets that it declares, or may not have them."""

from collections.abc import Sequence

from server_core.errors import RequirementNotMet

MISSING_SECRET = "✗ Missing secret"
"""The beginning of the message for a missing secret."""


def missing_secrets_error(tool: str, reserved: Sequence[str], missing: Sequence[str]) -> RequirementNotMet:
    """Return the error of a call whose tool declares secrets that are not available, or reserved for the server."""
    parts = [_reserved(tool, key) for key in reserved]
    instructions: list[str] = []
    if reserved:
        instructions.append(
            f"The '{tool}' tool declares reserved secret(s) {', '.join(reserved)} that the MCP server never"
            " exposes to tools. The developer must remove it from the tool's requires_secrets; setting the"
            " environment variable will not help."
        )
    if missing:
        parts += [_missing(tool, missing)]
        instructions.append(
            f"The MCP server is missing required secrets for the '{tool}' tool. The developer needs to provide"
            " this secret by either: 1) Adding it to the project's .env file"
            f" (e.g., {missing[0]}=your_secret_value), or 2) Running `workbench secret set {missing[0]}`, or 3) Setting"
            " it as environment variable before starting the server. After 1) and 2) the tool can be called again at"
            " once; after 3) the MCP server must be restarted."
        )
    return RequirementNotMet("\n\n".join(parts), " ".join(instructions))


def transport_error(tool: str) -> RequirementNotMet:
    """Return the error of a call that came over HTTP from another machine, without authentication."""
    return RequirementNotMet(
        "✗ Unsupported transport\n\n"
        f"  Tool '{tool}' cannot run over HTTP for callers who have not proved who they are.\n"
        "  This tool requires secrets.\n\n"
        "  To fix:\n"
        "  1. Use stdio, or HTTP from this machine\n"
        "  2. Or authenticate callers in front of the server\n"
        "  3. Or allow such tools for all callers: WORKBENCH_OPEN_SECRETS=true",
        f"The '{tool}' tool uses secrets of the user who runs this server, and the caller is not authenticated."
        " Inform the end user that the server must be used over stdio or from its own machine, or must authenticate"
        " its callers.",
    )


def _reserved(tool: str, key: str) -> str:
    return (
        f"✗ Reserved secret: {key}\n\n"
        f"  Tool '{tool}' declares this secret, but its name is reserved for the server's own settings and"
        " credentials, which tools cannot read.\n\n"
        "  To fix, remove it from the tool's required secrets."
    )


def _missing(tool: str, keys: Sequence[str]) -> str:
    if len(keys) == 1:
        title, which = f"{MISSING_SECRET}: {keys[0]}", "this secret but it is not configured"
    else:
        title, which = f"{MISSING_SECRET}s: {', '.join(keys)}", "these secrets but they are not configured"
    lines = "\n".join(f"       {key}=your_value_here" for key in keys)
    commands = "\n".join(f"       workbench secret set {key}" for key in keys)
    exports = "\n".join(f"       export {key}=your_value_here" for key in keys)
    return (
        f"{title}\n\n"
        f"  Tool '{tool}' requires {which}.\n\n"
        "  To fix, either:\n"
        f"  1. Add to .env file:\n{lines}\n"
        f"  2. Store it for this project:\n{commands}\n"
        f"  3. Set environment variable, then restart the server:\n{exports}"
    )
