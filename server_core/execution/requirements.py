"""What a call needs before its tool runs; what is missing is told with what to do about it."""

from server_core.catalog.definitions import Tool
from server_core.errors import ContextRequiredToolError, RequirementNotMet
from server_core.execution.context import Context


async def meet_requirements(tool: Tool, context: Context) -> None:
    """Check that the call has what its tool declares that it needs.

    Args:
        tool: what is to run.
        context: the call.

    Raises:
        ContextRequiredToolError: when something is missing; it says what, and what to do.
    """
    if tool.secrets:
        _check_secrets(tool, context)
    if tool.requires_metadata:
        _check_metadata(tool, context)
    if tool.requires_auth is not None:
        from server_core.auth.asking import authorize

        context.authorization = await authorize(tool, tool.requires_auth, context)


def _check_secrets(tool: Tool, context: Context) -> None:
    missing = [key for key in tool.secrets if not context.has_secret(key)]
    if not missing:
        return
    keys = ", ".join(missing)
    raise ContextRequiredToolError(
        f"Missing secret: {keys}. Tool {tool.name!r} needs it, and it is not set, so the tool was not run.",
        f"Ask the person who runs the server to set it: add the line {missing[0]}=... to the project's .env file, "
        f"run `workbench secret set {missing[0]}`, or use the Secrets screen of the workbench. Then call it again.",
    )


def _check_metadata(tool: Tool, context: Context) -> None:
    told = {one.key.lower() for one in context.metadata}
    missing = [key for key in tool.requires_metadata if key.lower() not in told]
    if not missing:
        return
    keys = ", ".join(missing)
    raise RequirementNotMet(
        f"✗ Missing metadata: {keys}\n\n"
        f"  Tool {tool.name!r} requires this of its caller, but the client did not tell it.\n\n"
        f'  To fix, send it in the _meta of the request: {{"{missing[0]}": "..."}}',
        f"The client has to send {keys} in the _meta of its requests. Tell whoever set up the client; do not call the "
        "tool again before that.",
    )
