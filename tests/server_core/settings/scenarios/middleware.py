"""The built-in middleware, and its log."""

from typing import Any

from server_core import MCPApp
from server_core.errors import FatalToolError
from server_core.middleware import CallNext, Middleware, MiddlewareContext, logging
from tests.server_core.execution.app_client import Client
from tests.server_core.settings.scenarios.scene import Scene, scenario

HAT: dict[str, Any] = {"name": "buy", "arguments": {"what": "a hat"}}


def shop(*middleware: Middleware) -> MCPApp:
    """Return an app with one tool."""
    app = MCPApp("shop", toolkit="", middleware=list(middleware))

    @app.tool
    def buy(what: str) -> str:
        """Buy something."""
        return f"bought {what}"

    return app


class Broken(Middleware):
    """Fails in every call of a tool."""

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
        raise FatalToolError("the till is stuck")


async def log_lines(scene: Scene) -> list[str]:
    """Return the log of a call: the first word of each line, and whether the line contains the argument."""
    written: list[str] = []
    scene.patch.setattr(logging.LoggingMiddleware.__init__, "__defaults__", ("INFO", written.append, lambda line: line))
    await Client(shop(), settings=scene.settings).request("tools/call", **HAT)
    return [f"{line.split()[0]}{' with params' if 'a hat' in line else ''}" for line in written if "tools/call" in line]


@scenario("debug", "true", by_default=[], when_set=["[REQUEST] with params", "[RESPONSE]"])
async def debug(scene: Scene) -> Any:
    return await log_lines(scene)


@scenario("middleware_enable_logging", "true", by_default=[], when_set=["[REQUEST]", "[RESPONSE]"])
async def enable_logging(scene: Scene) -> Any:
    return await log_lines(scene)


@scenario(
    "middleware_log_level",
    "error",
    by_default=["[REQUEST]", "[RESPONSE]"],
    when_set=[],
    middleware_enable_logging="true",
)
async def log_level(scene: Scene) -> Any:
    return await log_lines(scene)


async def response_of_failing_middleware(scene: Scene) -> dict[str, Any]:
    """Return the response to a call in which middleware fails."""
    client = Client(shop(Broken()), settings=scene.settings)
    return await client.request("tools/call", **HAT)


@scenario("middleware_enable_error_handling", "false", by_default="result", when_set="error")
async def enable_error_handling(scene: Scene) -> Any:
    return "error" if "error" in await response_of_failing_middleware(scene) else "result"


@scenario("middleware_mask_error_details", "true", by_default=True, when_set=False)
async def mask_error_details(scene: Scene) -> Any:
    return "the till is stuck" in str((await response_of_failing_middleware(scene))["result"]["content"])
