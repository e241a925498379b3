"""The server under test: an app, a folder or a file, with the secrets of the test and none of the machine.

Rule 1: secrets come from the test alone, unless it allows those of the machine: see `server_core/secrets`.
Rule 2: modules that the test has imported are served as they are, so that patches apply.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from server_core.protocol.revisions import LATEST, Revision
from server_core.protocol.revisions import REVISIONS as KNOWN
from server_core.records.tap import Tap
from server_core.runtime.background import spawn
from server_core.secrets import SecretStore
from server_core.secrets.secret_store import EnvEntries
from server_core.settings import Settings
from workbench.testing.assertion_errors import ProblemsFound, TookTooLong

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp
    from server_core.catalog.problems import Problem
    from server_core.serving.tool_backend import ToolBackend

REVISIONS = tuple(KNOWN)
"""The protocol revisions that a client supports, oldest first."""

LOADING_TIMEOUT = 60.0
"""How many seconds the author's imports may take."""


@dataclass(frozen=True)
class ClientOptions:
    """The server under test, and the kind of client; :class:`~workbench.testing.Client` describes the members.

    Secrets are read at each use, so the test may add some while the server runs.
    """

    target: "MCPApp | Path"
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    from_machine: bool = False
    revision: str = LATEST.date
    capabilities: dict[str, Any] | None = None
    client_info: dict[str, Any] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 5.0
    settings: Settings = field(default_factory=Settings)
    allow_problems: bool = False
    rules: bool | Sequence[str] = False

    @property
    def folder(self) -> Path:
        """The folder of `workbench.yaml`: that of the project, or the current one for an app."""
        target = self.target
        return Path.cwd() if not isinstance(target, Path) else target if target.is_dir() else target.parent

    @property
    def protocol_revision(self) -> Revision:
        """The revision with this date; ConfigurationError when there is none."""
        __tracebackhide__ = True  # For pytest: the failure is shown at the line of the test.
        if self.revision not in KNOWN:
            raise ConfigurationError(f"Unknown revision {self.revision!r}; supported: {', '.join(REVISIONS)}.")
        return KNOWN[self.revision]


class GivenSecrets(SecretStore):
    """Secrets that a test sets (`given`), and those of the machine only if the test allows it (`from_machine`)."""

    def __init__(self, folder: Path, given: Mapping[str, str], *, from_machine: bool) -> None:
        super().__init__(folder)
        self._given = given
        self._from_machine = from_machine

    def get(self, key: str, env_entries: EnvEntries | None = None) -> str | None:
        return self._given.get(key) or (super().get(key, env_entries) if self._from_machine else None)


class ServerUnderTest:
    """Serves the tools of a test, from :meth:`begin` to :meth:`end`."""

    def __init__(self, options: ClientOptions) -> None:
        self.tap = Tap()
        self.backend = _open_backend(options, self.tap)
        self._options = options
        self._stop = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Load the tools.

        Raises:
            ProblemsFound: when something cannot be served, unless that is allowed.
            TookTooLong: when the author's imports do not end.
        """
        self._running = spawn(self.backend.run(follow=False, stop=self._stop), "serve for a test")
        loaded = spawn(self.backend.loaded(), "wait for the tools")
        await asyncio.wait({self._running, loaded}, timeout=LOADING_TIMEOUT, return_when=asyncio.FIRST_COMPLETED)
        loaded.cancel()
        if self._running.done():
            self._running.result()  # It ends only on failure; this raises its exception.
        if (generation := self.backend.generation) is None:
            raise TookTooLong(
                f"the tools were not loaded within {LOADING_TIMEOUT:g} seconds; check what their imports do"
            )
        errors = [problem for problem in generation.problems if problem.severity == "error"]
        if errors and not self._options.allow_problems:
            raise ProblemsFound(errors)

    async def end(self) -> None:
        """Stop serving, close the lifespans, and undo the effects of the imports on this process."""
        self._stop.set()
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})
        await self.backend.stop_background_work()
        await self.backend.close()


def _open_backend(options: ClientOptions, tap: Tap) -> "ToolBackend":
    from server_core.serving.backend import serve_app, serve_project

    if isinstance(options.target, Path):
        backend = serve_project(options.target, tap, options.settings, shares_modules=True)
        folder = options.target if options.target.is_dir() else options.target.parent
    else:
        backend = serve_app(options.target, tap, options.settings)
        folder = Path.cwd()
    backend.secrets = GivenSecrets(folder, options.secrets, from_machine=options.from_machine)
    return backend


def assert_no_problems(what: "MCPApp | Path | str", *, warnings: bool = True) -> None:
    """Fail the test with all problems of a folder, a file or an app.

    Args:
        what: an app object, or the path of a folder or file of tools.
        warnings: whether problems that do not prevent serving count as well.

    Raises:
        ProblemsFound: with each problem, its file and line, and how to solve it.
        ConfigurationError: when the path does not exist.
    """
    __tracebackhide__ = True
    problems = [problem for problem in _problems(what) if warnings or problem.severity == "error"]
    if problems:
        raise ProblemsFound(problems)


def _problems(target: "MCPApp | Path | str") -> "tuple[Problem, ...]":
    from server_core.loading.file_source import FileSource
    from server_core.loading.project import Project
    from server_core.loading.project_source import AppSource
    from server_core.settings import Settings

    if not isinstance(target, str | Path):
        return Project(AppSource(target)).load().problems
    project = Project(FileSource(Path(target), Settings(), shares_modules=True))
    try:
        return project.load().problems
    finally:
        project.source.leave()
