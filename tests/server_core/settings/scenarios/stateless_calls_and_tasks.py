"""Stateless calls that wait for their client, and tasks."""

from typing import Any

from tests.server_core.serving.stateless_client import Client, accepted, asking_server
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.tasks.clients import CoreClient, Workshop

KEY = "k" * 32


async def is_continued(scene: Scene, calls: int) -> bool:
    """Return whether a call that waits for input continues with it, rather than running again from its start."""
    from tests.server_core.serving.stateless_client import RUNS

    RUNS.clear()
    client = Client(asking_server(scene.settings))
    states = [(await client.call("greet"))["result"]["requestState"] for _ in range(calls)]
    await client.call("greet", requestState=states[0], inputResponses={"who": accepted("Ada")})
    client.session.close()
    return len(RUNS) == calls


@scenario("max_waiting_calls", "1", by_default=True, when_set=False, state_key=KEY)
async def max_waiting_calls(scene: Scene) -> Any:
    return await is_continued(scene, 2)


@scenario("input_seconds", "30", by_default=900, when_set=30, skips_waits=True, state_key=KEY)
async def input_seconds(scene: Scene) -> Any:
    """Return after how many seconds a call that waits for its client is cancelled."""
    import asyncio

    client = Client(asking_server(scene.settings))
    await client.call("greet")
    loop = asyncio.get_running_loop()
    began = loop.time()
    while len(client.server.suspended_calls):
        await asyncio.sleep(1)
    client.session.close()
    return round(loop.time() - began)


@scenario("state_key", KEY, by_default="refused", when_set="Hello, Ada!")
async def state_key(scene: Scene) -> Any:
    """Return the result of a call that one replica of the server has begun and another continues."""
    scene.patch.setenv("WORKBENCH_HOME", str(scene.folder / "here"))
    here = Client(asking_server(scene.settings))
    state = (await here.call("greet"))["result"]["requestState"]
    scene.patch.setenv("WORKBENCH_HOME", str(scene.folder / "elsewhere"))
    there = Client(asking_server(scene.settings))
    answer = await there.call("greet", requestState=state, inputResponses={"who": accepted("Ada")})
    here.session.close()
    there.session.close()
    return "refused" if "error" in answer else answer["result"]["content"][0]["text"]


@scenario("task_store", "tasks.sqlite", by_default=False, when_set=True)
async def task_store(scene: Scene) -> Any:
    """Return whether the result of a task is stored over a restart."""
    before = Workshop(scene.settings)
    client = CoreClient(before, principal="ada")
    task = await client.begin("only_as_task")
    await client.ask("tasks/result", taskId=task)
    await before.close()
    after = Workshop(scene.settings)
    answer = await CoreClient(after, principal="ada").ask("tasks/result", taskId=task)
    await after.close()
    return "result" in answer


@scenario("max_tasks", "1", by_default=True, when_set=False, shutdown_grace="0.05")
async def max_tasks(scene: Scene) -> Any:
    """Return whether a second task may run."""
    workshop = Workshop(scene.settings)
    client = CoreClient(workshop)
    await client.begin("dig")
    answer = await client.ask("tools/call", name="only_as_task", task={})
    workshop.gate.set()
    await workshop.close()
    return "result" in answer


async def granted_ttl(scene: Scene, **task: Any) -> Any:
    """Return for how many milliseconds a task is stored."""
    workshop = Workshop(scene.settings)
    answer = await CoreClient(workshop).ask("tools/call", name="only_as_task", task=task)
    await workshop.close()
    return answer["result"]["task"]["ttl"]


@scenario("task_ttl", "60", by_default=3_600_000, when_set=60_000)
async def task_ttl(scene: Scene) -> Any:
    return await granted_ttl(scene)


@scenario("max_task_ttl", "100", by_default=86_400_000, when_set=100_000)
async def max_task_ttl(scene: Scene) -> Any:
    return await granted_ttl(scene, ttl=10**9)
