"""The identity of the server, and its user."""

from typing import Any

from server_core import Context, MCPApp
from server_core.core import Core
from server_core.transports.memory import MemoryChannel
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.telemetry.memory import MemoryCollector
from tests.small_project import small_project
from tests.waiting import within
from workbench.client.session import ClientSession
from workbench.testing import Client


async def server_identity(scene: Scene) -> dict[str, Any]:
    """Return the identity in the response to `initialize`, for a folder of tools."""
    core = Core(project=small_project(scene.folder / "small"), settings=scene.settings, capture=False, link=False)
    await core.start()
    try:
        session = await within(ClientSession.open(MemoryChannel(core.server)))
        who = {**session.server_info, "instructions": session.instructions}
        await within(session.close())
        return who
    finally:
        await core.stop()


@scenario("server_name", "shop", by_default="small", when_set="shop")
async def name(scene: Scene) -> Any:
    return (await server_identity(scene))["name"]


@scenario("server_version", "9.1", by_default="1.0", when_set="9.1.0")
async def version(scene: Scene) -> Any:
    return (await server_identity(scene))["version"]


@scenario("server_title", "The shop", by_default=None, when_set="The shop")
async def title(scene: Scene) -> Any:
    return (await server_identity(scene)).get("title")


@scenario("server_instructions", "Ask first.", by_default="", when_set="Ask first.")
async def instructions(scene: Scene) -> Any:
    return (await server_identity(scene))["instructions"] or ""


@scenario("user_id", "ada", by_default=False, when_set=True)
async def user_id(scene: Scene) -> Any:
    app = MCPApp("one", toolkit="")

    @app.tool
    def who(context: Context) -> str:
        """Return the user."""
        return str(context.user_id)

    async with Client(app, settings=scene.settings) as client:
        return (await client.call("who")).text == "ada"


@scenario("environment", "prod", by_default="dev", when_set="prod")
async def environment(scene: Scene) -> Any:
    from server_core.telemetry.startup import instrument
    from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Toolkit, call, initialize, new_server
    from tests.waiting import until

    kept, outlet = MemoryCollector(), RecordingOutlet()
    server = new_server(Toolkit(), settings=scene.settings)
    instrument(server, kept.collector)
    session = server.open_session(outlet, "memory")
    for message in (initialize(), INITIALIZED, call(1, "tools/call", name="add", arguments={"a": 1, "b": 2})):
        session.receive(message)
    await until(lambda: any(item.get("id") == 1 for item in outlet.sent))
    session.close()
    return kept.attributes("RunTool")["environment"]
