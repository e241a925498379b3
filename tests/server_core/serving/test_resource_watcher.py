"""Files of resources: subscribers are notified when they change, and nothing is watched before."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server_core import MCPApp
from server_core.records.tap import Tap
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.toolkit import Records, generation, secret_values
from tests.waiting import until, within

pytestmark = pytest.mark.promises("resources and prompts")


class Subscriber:
    """A subscriber and its notifications."""

    def __init__(self, server: Server, *uris: str) -> None:
        self.server = server
        self.subscriptions = {*uris}
        self.updated: asyncio.Queue[str] = asyncio.Queue()
        server.resource_updated = self.updated.put_nowait  # type: ignore[method-assign, assignment]
        server.subscribed = lambda: self.subscriptions  # type: ignore[method-assign]
        server.watch_files()

    async def next(self) -> str:
        """The URI of the next notification."""
        return await within(self.updated.get())


@asynccontextmanager
async def watching(app: MCPApp, *uris: str) -> AsyncIterator[Subscriber]:
    """Serve an app to a client that subscribed."""
    server = Server(Tap(), Settings(), secret_values, app.identity)
    server.swap(generation(app.build()[0], app))
    try:
        yield Subscriber(server, *uris)
    finally:
        await within(server.close_resource_watcher())


def files_app(folder: Path, *names: str) -> MCPApp:
    """An app with a resource `x://NAME` for each of these files."""
    app = MCPApp("x")
    for name in names:
        app.add_file_resource(f"x://{name}", path=folder / name)
    return app


def write(path: Path) -> None:
    path.write_text("new and longer")


def write_aside(path: Path) -> None:
    path.with_suffix(".tmp").write_text("new and longer")
    path.with_suffix(".tmp").replace(path)


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("change", [write, write_aside, remove])
async def test_a_change_of_a_file_is_reported_and_a_change_of_its_neighbour_is_not(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("old")
    async with watching(files_app(tmp_path, "a", "b")) as subscriber:
        (tmp_path / "c").write_text("not a resource")
        change(tmp_path / "a")
        assert await subscriber.next() == "x://a"
        change(tmp_path / "b")
        assert await subscriber.next() == "x://b"
        assert subscriber.updated.empty()


async def test_a_change_right_after_the_subscription_is_not_missed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    async with watching(files_app(tmp_path, "a")) as subscriber:
        # The folder is not watched yet: that begins with the next turn of the loop.
        write(tmp_path / "a")
        assert await subscriber.next() == "x://a"


async def test_changes_before_the_subscription_are_not_reported(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    app = files_app(tmp_path, "a", "b")
    write(tmp_path / "a")
    async with watching(app) as subscriber:
        write(tmp_path / "b")
        assert await subscriber.next() == "x://b"
        assert subscriber.updated.empty()


async def test_a_new_file_is_reported_even_in_a_new_folder(tmp_path: Path) -> None:
    app = files_app(tmp_path, "a")
    app.add_file_resource("x://deep", path=tmp_path / "new" / "folder" / "deep")
    async with watching(app) as subscriber:
        (tmp_path / "a").write_text("new")
        assert await subscriber.next() == "x://a"
        (tmp_path / "new" / "folder").mkdir(parents=True)
        (tmp_path / "new" / "folder" / "deep").write_text("new")
        assert await subscriber.next() == "x://deep"


async def test_the_target_of_a_link_is_watched_as_well(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "target")
    async with watching(files_app(tmp_path, "link")) as subscriber:
        write(tmp_path / "elsewhere" / "target")
        assert await subscriber.next() == "x://link"


async def test_an_author_names_the_files_of_a_function_by_patterns(tmp_path: Path) -> None:
    app = MCPApp("x")
    app.resource("x://all", watch=[tmp_path / "*.md"])(lambda: "")
    (tmp_path / "old.md").write_text("old")
    async with watching(app) as subscriber:
        (tmp_path / "other.txt").write_text("not one of them")
        (tmp_path / "new.md").write_text("new")
        assert await subscriber.next() == "x://all"
        (tmp_path / "old.md").unlink()
        assert await subscriber.next() == "x://all"
        assert subscriber.updated.empty()


async def test_all_subscribed_uris_of_a_template_are_reported(tmp_path: Path) -> None:
    app = MCPApp("x")
    app.resource("x://notes/{name}", watch=[tmp_path / "*.md"])(lambda name: "")
    async with watching(app, "x://notes/a", "x://other", "x://notes/b") as subscriber:
        (tmp_path / "a.md").write_text("new")
        assert {await subscriber.next(), await subscriber.next()} == {"x://notes/a", "x://notes/b"}
        assert subscriber.updated.empty()


async def test_another_catalog_is_watched_as_soon_as_it_is_served(tmp_path: Path) -> None:
    async with watching(MCPApp("x")) as subscriber:
        first = files_app(tmp_path, "a")
        subscriber.server.swap(generation(first.build()[0], first, number=2))
        (tmp_path / "a").write_text("new")
        assert await subscriber.next() == "x://a"
        (tmp_path / "elsewhere").mkdir()
        second = files_app(tmp_path / "elsewhere", "b")
        subscriber.server.swap(generation(second.build()[0], second, number=3))
        (tmp_path / "a").write_text("no subscriber is left")
        (tmp_path / "elsewhere" / "b").write_text("new")
        assert await subscriber.next() == "x://b"
        assert subscriber.updated.empty()


async def test_a_system_that_cannot_watch_is_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import watchfiles

    def refuse(*folders: Any, **options: Any) -> Any:
        raise OSError("no space left on device")

    monkeypatch.setattr(watchfiles, "awatch", refuse)
    app = files_app(tmp_path, "a")
    server = Server(Tap(), Settings(), secret_values, app.identity)
    server.swap(generation(app.build()[0], app))
    records = Records(server.tap)
    server.watch_files()
    await until(records.events)
    assert [(record["event"], record["error"]) for record in records.events()] == [
        ("file_watch_failed", "no space left on device")
    ]
    await within(server.close_resource_watcher())


async def test_nothing_is_watched_where_no_resource_has_a_file() -> None:
    server = Server(Tap(), Settings(), secret_values, MCPApp("x").identity)
    server.swap(generation(MCPApp("x").build()[0], MCPApp("x")))
    tasks = asyncio.all_tasks()
    server.watch_files()
    assert asyncio.all_tasks() == tasks
    await within(server.close_resource_watcher())
