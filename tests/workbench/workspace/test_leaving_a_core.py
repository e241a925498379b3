"""A core that ends, and a terminal that stops it or leaves it running."""

import pytest

from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.revisions import LATEST
from tests.waiting import until, within
from tests.workbench.tui.fakes import FakeLink, open_fixed_workspace
from workbench.workspace.workspace import Workspace


class FakeProcess:
    """The process of a core that is no more."""

    def __init__(self, words: str = "The core k7 ended with exit code 1.") -> None:
        self.words = words
        self.stopped = False

    def post_mortem(self) -> str:
        return self.words

    async def stop(self) -> None:
        self.stopped = True


async def test_a_core_that_ends_unexpectedly_leaves_its_post_mortem() -> None:
    link, process = FakeLink(), FakeProcess("The core k7 ended with exit code 1.\nboom")
    workspace = Workspace(link, revision=LATEST, process=process)
    await workspace.open()
    link.closed.set()
    await until(lambda: workspace.end.post_mortem)
    assert workspace.end.post_mortem == "The core k7 ended with exit code 1.\nboom"
    assert not workspace.connected
    await workspace.close()


async def test_a_connection_that_is_lost_while_the_core_runs_is_reported_too() -> None:
    link = FakeLink()
    workspace = Workspace(link, revision=LATEST, process=FakeProcess(""))
    await workspace.open()
    link.closed.set()
    await until(lambda: workspace.end.post_mortem)
    assert workspace.end.post_mortem == "The connection to the core is lost."
    await workspace.close()


async def test_leaving_is_not_reported_as_a_loss() -> None:
    workspace = await open_fixed_workspace(FakeLink())
    await workspace.close()
    await until(lambda: not workspace.connected)
    assert workspace.end.post_mortem is None


async def test_stopping_leaves_the_core_and_ends_its_process() -> None:
    link, process = FakeLink(), FakeProcess()
    workspace = Workspace(link, revision=LATEST, process=process)
    await workspace.open()
    await within(workspace.stop())
    assert process.stopped
    assert link.closed.is_set()


async def test_stopping_a_core_in_this_process_requests_its_end() -> None:
    link = FakeLink()
    workspace = Workspace(link, revision=LATEST)
    await workspace.open()
    await within(workspace.stop())
    assert "core/stop" in link.methods
    assert link.closed.is_set()


async def test_stopping_a_core_that_has_ended_does_not_fail() -> None:
    link = FakeLink()
    workspace = Workspace(link, revision=LATEST)
    await workspace.open()
    link.answers["core/stop"] = ConnectionFailed("gone")
    await within(workspace.stop())
    assert link.closed.is_set()


async def test_detaching_keeps_the_core_without_opening_a_port() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    assert "workbench attach k7" in await within(workspace.detach())
    assert "core/keep" in link.methods
    assert not {"core/stop", "core/http"} & set(link.methods)


async def test_detaching_leaves_the_core_serving_http_where_that_is_chosen() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    words = await within(workspace.detach(serve_http=True))
    assert "core/stop" not in link.methods
    assert "http://127.0.0.1:8000/mcp" in words
    assert "workbench attach k7" in words


async def test_a_core_that_cannot_serve_http_is_not_left_in_that_way() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    link.answers["core/http"] = RemoteError(-32004, "port in use")
    with pytest.raises(RemoteError, match="port in use"):
        await within(workspace.detach(serve_http=True))
    assert workspace.connected
    await workspace.close()


async def test_a_url_that_is_already_served_is_not_requested_again() -> None:
    link = FakeLink()
    link.info["http_url"] = "http://127.0.0.1:9/mcp"
    workspace = await open_fixed_workspace(link)
    assert await workspace.core.serve_http() == "http://127.0.0.1:9/mcp"
    assert "core/http" not in link.methods
    await workspace.close()
