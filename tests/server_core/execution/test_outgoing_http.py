"""The HTTP requests of tools: which are recorded, with which facts, and that libraries are left as they were."""

import asyncio
import http.client
import importlib
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import httpx
import pytest
import requests

from server_core import MCPApp
from server_core.execution import outgoing_http
from server_core.execution.observation import observe_calls
from server_core.execution.outgoing_http import shown_url
from server_core.records.tap import Kind
from tests.server_core.execution.app_client import MODERN, Client

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


class Service(BaseHTTPRequestHandler):
    """Answers with five bytes; the path is the status."""

    def do_GET(self) -> None:
        self.send_response(int(self.path.partition("?")[0].rpartition("/")[2]))
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """The URL of a service."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def with_urllib(url: str) -> None:
    urllib.request.urlopen(url).close()


def with_requests(url: str) -> None:
    requests.get(url)


def with_httpx(url: str) -> None:
    httpx.get(url)


def with_httpx_asynchronously(url: str) -> None:
    async def get() -> None:
        async with httpx.AsyncClient() as client:
            await client.get(url)

    asyncio.run(get())


LIBRARIES: list[Callable[[str], None]] = [with_urllib, with_requests, with_httpx, with_httpx_asynchronously]


async def requests_of(get: Callable[[str], None], url: str, revision: str = MODERN) -> list[dict[str, Any]]:
    """Return the recorded requests of a call of a tool that gets a URL."""
    app = MCPApp("shop", toolkit="")

    @app.tool
    def fetch() -> str:
        """Fetch it."""
        get(url)
        return "done"

    client = Client(app, revision)
    await client.request("tools/call", name="fetch")
    return [event for event in client.records.events() if event["event"] == "http_request_ended"]


@pytest.mark.parametrize("get", LIBRARIES)
async def test_a_request_of_a_tool_is_recorded_once_with_its_outcome(get: Callable[[str], None], service: str) -> None:
    with observe_calls():
        [request] = await requests_of(get, f"{service}/200?q=tea&token=abc")
    assert request.pop("ms") > 0
    assert request == {
        "event": "http_request_ended",
        "id": 1,
        "method": "GET",
        "url": f"{service}/200?q=<hidden>&token=<hidden>",
        "status": 200,
        "bytes": 5,
        "ok": True,
    }


async def test_a_response_with_an_error_is_recorded_with_its_status(service: str) -> None:
    with observe_calls():
        [request] = await requests_of(with_requests, f"{service}/404")
    assert (request["status"], request["ok"]) == (404, False)


@pytest.mark.parametrize("get", LIBRARIES)
async def test_a_request_without_a_response_is_recorded_with_the_error(get: Callable[[str], None]) -> None:
    with observe_calls():
        [request] = await requests_of(get, "http://127.0.0.1:9/")
    assert request["ok"] is False
    assert request["error"] in ("ConnectionRefusedError", "ConnectError", "NewConnectionError")
    assert "status" not in request


@pytest.mark.parametrize("get", LIBRARIES)
async def test_nothing_is_recorded_without_an_observer(get: Callable[[str], None], service: str) -> None:
    assert await requests_of(get, f"{service}/200") == []


async def test_requests_outside_of_calls_are_not_recorded(service: str) -> None:
    client = Client(MCPApp("shop", toolkit=""))
    with observe_calls():
        await asyncio.to_thread(with_requests, f"{service}/200")
    assert [record for record in client.records.of(Kind.LIFECYCLE) if b"http_request" in record.data] == []


def test_the_libraries_are_restored_when_the_last_observer_leaves() -> None:
    methods = [http.client.HTTPConnection.putrequest, httpx.HTTPTransport.handle_request]
    with observe_calls():
        with observe_calls():
            assert http.client.HTTPConnection.putrequest is not methods[0]
        assert httpx.HTTPTransport.handle_request is not methods[1]
    assert [http.client.HTTPConnection.putrequest, httpx.HTTPTransport.handle_request] == methods
    assert not any("outgoing_http" in type(finder).__module__ for finder in sys.meta_path)


def test_a_library_that_is_imported_later_is_observed_as_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # In an archive, all modules of a folder share one loader.
    archive = tmp_path_factory.mktemp("libraries") / "libraries.zip"
    with ZipFile(archive, "w") as file:
        file.writestr("aiohttp.py", "class ClientSession:\n    async def _request(self, method, url): ...\n")
        file.writestr("beside_aiohttp.py", "")
    monkeypatch.syspath_prepend(str(archive))
    monkeypatch.delitem(sys.modules, "aiohttp", raising=False)
    with observe_calls():
        import aiohttp

        beside = importlib.import_module("beside_aiohttp")
        assert hasattr(aiohttp.ClientSession._request, "__wrapped__")
        assert aiohttp.__spec__ is not None
        assert beside.__loader__ is aiohttp.__loader__ is aiohttp.__spec__.loader
    assert not hasattr(aiohttp.ClientSession._request, "__wrapped__")
    monkeypatch.delitem(sys.modules, "aiohttp")
    monkeypatch.delitem(sys.modules, "beside_aiohttp")


async def test_a_request_of_aiohttp_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    class Response:
        status = 204
        headers: dict[str, str] = {}

    class ClientSession:
        async def _request(self, method: str, url: str) -> Response:
            return Response()

    library = ModuleType("aiohttp")
    library.ClientSession = ClientSession  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "aiohttp", library)
    with observe_calls():
        [request] = await requests_of(
            lambda url: asyncio.run(ClientSession()._request("post", url)), "https://tea.example/"
        )
    assert (request["method"], request["status"], request["bytes"]) == ("POST", 204, None)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "https://u:p@x.org:8080/a?q=hello&token=abc&e=#part",
            "https://x.org:8080/a?q=<hidden>&token=<hidden>&e=<hidden>",
        ),
        ("http://x/?abc", "http://x/?<hidden>"),
        ("http://x/?c2VjcmV0dG9rZW4=", "http://x/?<hidden>"),
        ("http://[::1]:8/x", "http://[::1]:8/x"),
        ("https://hooks/xoxb-aaaaaaaaaaaaaaaa/y", "https://hooks/<hidden>/y"),
        ("http://[bad/", "http://[bad/"),
        ("nonsense", "nonsense"),
        ("", ""),
        ("http://x/" + "a" * 5000, "http://x/" + "a" * (outgoing_http.MAX_URL - 9) + "…"),
    ],
)
def test_a_url_is_shown_without_credentials_and_values(url: str, shown: str) -> None:
    assert shown_url(url) == shown
