"""The pytest plugin: fixtures that serve tools in this process and return a client; installing the package suffices.

Rule 1: every run of pytest on the machine loads this file, so it imports nothing of ours until a fixture is used.
Rule 2: nothing runs unless a test requests it: no fixture is automatic.
Rule 3: the report of a failed test contains the traffic of its clients.

Source: https://docs.pytest.org/en/stable/how-to/writing_plugins.html
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp
    from workbench.testing import AsyncClient, SyncClient

T = TypeVar("T")

PROJECT, TIMEOUT = "workbench_project", "workbench_timeout"
"""The options of the configuration file."""


class Workbench:
    """Serves tools for a test; all servers end with the test."""

    def __init__(self, project: "MCPApp | Path", secrets: dict[str, str], timeout: float) -> None:
        self.clients: list[SyncClient | AsyncClient] = []
        """The open clients, oldest first."""
        self._project = project
        self._options: dict[str, Any] = {"secrets": secrets, "timeout": timeout}
        self._open = ExitStack()

    def serve(self, what: "MCPApp | Path | str | None" = None, **options: Any) -> "SyncClient":
        """Serve tools, and return a client.

        Args:
            what: an app object, or the path of a folder or file of tools; the project if not given.
            options: the arguments of :class:`workbench.testing.Client`.
        """
        __tracebackhide__ = True
        from workbench.testing.client import Client

        client_manager = Client(self._project if what is None else what, **self._options | options)
        client = self._open_client(client_manager)
        self.clients.append(client)
        return client

    def serve_async(self, what: "MCPApp | Path | str | None" = None, **options: Any) -> "AsyncClient":
        """Serve tools, and return an async client; see :meth:`serve`."""
        __tracebackhide__ = True
        from workbench.testing.client import Client

        client_manager = Client(self._project if what is None else what, **self._options | options)
        client = self._open_client(client_manager.on_thread())
        self.clients.append(client)
        return client

    def close(self, failure: BaseException | None = None) -> None:
        """Close all clients and servers.

        Args:
            failure: why the test failed; then no further failures are raised.
        """
        __tracebackhide__ = True
        from workbench.testing.assertion_errors import ShortTraceback

        with ShortTraceback():
            self._open.__exit__(None if failure is None else type(failure), failure, None)

    def _open_client(self, client_manager: AbstractContextManager[T]) -> T:
        __tracebackhide__ = True
        from workbench.testing.assertion_errors import ShortTraceback

        with ShortTraceback():
            return self._open.enter_context(client_manager)


_WORKBENCH = pytest.StashKey[Workbench]()
_FAILURE = pytest.StashKey[BaseException]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of the configuration file."""
    parser.addini(PROJECT, "The folder or file of tools to test, from the root folder; by default the nearest project")
    parser.addini(TIMEOUT, "The seconds that each answer to a client of the workbench may take", default="5")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Add the traffic of the clients to the report of a failed test."""
    if call.when != "call" or call.excinfo is None or (workbench := item.stash.get(_WORKBENCH, None)) is None:
        return
    item.stash[_FAILURE] = call.excinfo.value
    for client in workbench.clients:
        item.add_report_section("call", "mcp", client.story())


@pytest.fixture
def workbench_project(request: pytest.FixtureRequest) -> "MCPApp | Path":
    """The project under test: the ini option `workbench_project`, else the nearest parent with a pyproject.toml.

    Override it to test something else: return an app object, or the path of a folder or file.
    """
    root = request.config.rootpath
    if given := request.config.getini(PROJECT):
        return root / str(given)
    return next((folder for folder in request.path.parents if (folder / "pyproject.toml").is_file()), root)


@pytest.fixture
def workbench_secrets() -> dict[str, str]:
    """The secrets that are set, name -> value: none. Override it, or add secrets before the call."""
    return {}


@pytest.fixture
def workbench(
    request: pytest.FixtureRequest, workbench_project: "MCPApp | Path", workbench_secrets: dict[str, str]
) -> Iterator[Workbench]:
    """Serves tools for a test: `workbench.serve(app)`."""
    __tracebackhide__ = True
    served = Workbench(workbench_project, workbench_secrets, _timeout(request.config))
    request.node.stash[_WORKBENCH] = served
    yield served
    served.close(request.node.stash.get(_FAILURE, None))


@pytest.fixture
def mcp_client(workbench: Workbench) -> "SyncClient":
    """A client of the project under test."""
    __tracebackhide__ = True
    return workbench.serve()


@pytest.fixture
def async_mcp_client(workbench: Workbench) -> "AsyncClient":
    """An async client of the project under test."""
    __tracebackhide__ = True
    return workbench.serve_async()


def _timeout(config: pytest.Config) -> float:
    text = str(config.getini(TIMEOUT))
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise pytest.UsageError(f"{TIMEOUT} is {text!r}, but must be a number of seconds above zero.")
    return seconds
