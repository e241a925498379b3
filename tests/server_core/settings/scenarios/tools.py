"""Which tools are served, their names, and how a server is started."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from server_core import MCPApp
from server_core.core import Core
from server_core.errors import ConnectionFailed
from server_core.process import core_run
from server_core.process.command_line import Arguments
from server_core.records.tap import Tap
from server_core.runtime import threads
from server_core.serving.backend import serve_app
from tests.commands import START
from tests.ports import free_port
from tests.server_core.catalog.installing import site_at, tool
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.toolkit import call, initialize
from tests.small_project import small_project
from tests.waiting import within
from workbench.testing import Client
from workbench.testing.assertion_errors import Unmet

ROOT = Path(__file__).parents[4]


def shop() -> MCPApp:
    """Return an app with two tools."""
    app = MCPApp("shop")

    @app.tool
    def buy() -> str:
        """Buy."""
        return "bought"

    @app.tool
    def sell() -> str:
        """Sell."""
        return "sold"

    return app


async def tool_names(target: MCPApp | Path, scene: Scene) -> list[str]:
    """Return the names of the tools that a client sees."""
    async with Client(target, settings=scene.settings) as client:
        return sorted(item["name"] for item in await client.list_tools())


@scenario("tool_name_separator", "::", by_default="unknown", when_set="bought")
async def separator(scene: Scene) -> Any:
    async with Client(shop(), settings=scene.settings) as client:
        try:
            answer = await client.request("tools/call", {"name": "Shop::Buy", "arguments": {}})
        except Unmet:
            return "unknown"
        return answer["content"][0]["text"]


@scenario("disabled_tools", "Shop_Sell", by_default=["Shop_Buy", "Shop_Sell"], when_set=["Shop_Buy"])
async def disabled_tools(scene: Scene) -> Any:
    return await tool_names(shop(), scene)


@scenario("disabled_toolkits", "shop", by_default=["Shop_Buy", "Shop_Sell"], when_set=[])
async def disabled_toolkits(scene: Scene) -> Any:
    return await tool_names(shop(), scene)


@scenario("toolkit", "corner_shop", by_default="add", when_set="CornerShop_Add")
async def toolkit(scene: Scene) -> Any:
    return (await tool_names(small_project(scene.folder / "small"), scene))[0]


@scenario("tool_package", "kit", by_default=["add", "shout", "show_secret"], when_set=["Kit_Say"])
async def tool_package(scene: Scene) -> Any:
    with site_at(scene.folder) as site:
        site.install("arcade_kit", {"arcade_kit/__init__.py": tool("say")})
        site.install("arcade_other", {"arcade_other/__init__.py": tool("shout")}, entry="arcade_other")
        return await tool_names(small_project(scene.folder / "small"), scene)


@scenario("discover_installed", "true", by_default=["add", "shout", "show_secret"], when_set=["Kit_Say"])
async def discover_installed(scene: Scene) -> Any:
    with site_at(scene.folder) as site:
        site.install("arcade_kit", {"arcade_kit/__init__.py": tool("say")}, entry="arcade_kit")
        return await tool_names(small_project(scene.folder / "small"), scene)


@scenario("thread_count", "3", by_default=32, when_set=3)
async def thread_count(scene: Scene) -> Any:
    limit = threads.shared_threads().limit
    try:
        await serve_app(shop(), Tap(), scene.settings).close()
        return threads.shared_threads().limit
    finally:
        threads.limit_shared_threads(limit)


# How a server is started.


def run_arguments(scene: Scene) -> Arguments:
    """Return the arguments that `app.run()` starts the core with."""
    chosen: list[Arguments] = []

    def serve(arguments: Arguments, app: object) -> int:
        chosen.append(arguments)
        return 0

    scene.patch.setattr(core_run, "serve", serve)
    for name, value in scene.environment.items():
        scene.patch.setenv(name, value)
    shop().run()
    return chosen[0]


@scenario("server_transport", "http", by_default=(True, False), when_set=(False, True))
async def transport(scene: Scene) -> Any:
    arguments = run_arguments(scene)
    return arguments.stdio, arguments.http


@scenario("server_host", "::1", by_default="127.0.0.1", when_set="::1", server_transport="http")
async def host(scene: Scene) -> Any:
    return run_arguments(scene).host


@scenario("server_port", "0", by_default=8000, when_set=0, server_transport="http")
async def port(scene: Scene) -> Any:
    return run_arguments(scene).port


@scenario("server_reload", "true", by_default=(False, False), when_set=(True, True))
async def reload(scene: Scene) -> Any:
    """Return whether the core reloads changed files, for a project and for an app."""
    folder = small_project(scene.folder / "small")
    core = Core(project=folder, settings=scene.settings, capture=False, link=False, mode="stdio")
    follows: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def run(follow: bool, stop: asyncio.Event) -> None:
        follows.set_result(follow)

    scene.patch.setattr(core._backend, "run", run)
    # With pytest-xdist the main module of a worker has no file.
    scene.patch.setattr(sys.modules["__main__"], "__file__", str(folder / "server.py"), raising=False)
    try:
        await core.start()
        return await within(follows), run_arguments(scene).reload
    finally:
        await core.stop()


@scenario("show_packages", "true", by_default=False, when_set=True, tool_package="kit")
async def show_packages(scene: Scene) -> Any:
    """Return whether a server of packages lists them on standard error."""
    with site_at(scene.folder) as site:
        site.install("arcade_kit", {"arcade_kit/__init__.py": tool("say")})
        done = subprocess.run(
            [sys.executable, "-m", "server_core", str(scene.folder), "--stdio", "--no-capture"],
            input=initialize() + b"\n" + call(1, "tools/list") + b"\n",
            capture_output=True,
            env={**os.environ, **scene.environment, "PYTHONPATH": os.pathsep.join([*sys.path[:2], str(ROOT)])},
            timeout=START,
            check=True,
        )
    return b"package arcade_kit 1.2.0 is the toolkit Kit: Kit_Say" in done.stderr


@scenario("otel_enable", "true", by_default="serves", when_set="cannot reach the collector")
async def otel_enable(scene: Scene) -> Any:
    scene.patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    core = Core(app=shop(), settings=scene.settings, capture=False, link=False)
    try:
        async with core_run._tracing(core, Arguments()):
            return "serves"
    except ConnectionFailed:
        return "cannot reach the collector"
    finally:
        await core.stop()
