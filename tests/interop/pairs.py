"""Who talks to whom in the matrix: every peer, what it is there, and how its program and ours are started.

A column of the matrix is a pair over a transport in an era. Each column starts a server.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.commands import WORKBENCH
from tests.peers import node, python

Command = list[str]

CLIENTS = Path(__file__).parent / "clients"
SERVERS = Path(__file__).parent / "servers"

STDIO, HTTP, SSE = "stdio", "HTTP", "HTTP+SSE"
HANDSHAKE, STATELESS, AUTO = "handshake", "stateless", "auto"

NPM = node.CACHE / "interop"
EVERYTHING = "@modelcontextprotocol/server-everything"
TYPESCRIPT = "@modelcontextprotocol/sdk"
TYPESCRIPT_CLIENT = "@modelcontextprotocol/client"
TYPESCRIPT_SERVER = "@modelcontextprotocol/server"
PACKAGES = (
    f"{EVERYTHING}@2026.8.31",
    f"{TYPESCRIPT}@1.32.2",
    f"{TYPESCRIPT_CLIENT}@2.4.0",
    f"{TYPESCRIPT_SERVER}@2.4.0",
    "@modelcontextprotocol/node@2.1.2",
    "zod@4.6.7",
)


@dataclass(frozen=True)
class Server:
    """How a server is started.

    Attributes:
        stdio: the command, for stdio.
        http: the port -> the command, for HTTP.
        sse: the port -> the command, for HTTP+SSE of 2024-11-05.
    """

    stdio: Callable[[], Command]
    http: Callable[[int], Command]
    sse: Callable[[int], Command] | None = None


@dataclass(frozen=True)
class Pair:
    """A peer and us.

    Attributes:
        name: on the command line.
        title: as it is shown.
        versions: the name and the version of what the peer is made of.
        client: the command of the client, without its arguments.
        server: the server that the client talks to.
        eras: those that the client can be started in.
        transports: those that both have.
        without: transports and eras that do not go together.
        needs_npm: whether the peer comes from npm.
    """

    name: str
    title: str
    versions: Callable[[], dict[str, str]]
    client: Callable[[], Command]
    server: Server
    eras: Sequence[str] = (HANDSHAKE, STATELESS, AUTO)
    transports: Sequence[str] = (STDIO, HTTP)
    without: Sequence[tuple[str, str]] = ()
    needs_npm: bool = False


@dataclass(frozen=True)
class Column:
    """A pair over a transport in an era."""

    pair: Pair
    transport: str
    era: str

    @property
    def title(self) -> str:
        """The column's head."""
        return f"{self.transport} {self.era}"


def _ours(*options: str) -> Command:
    return [*WORKBENCH, "serve", str(SERVERS / "ours.py"), *options]


def _in_python(*words: str | Path) -> Command:
    return [python.python(), *map(str, words)]


def _everything(transport: str) -> Command:
    return [node.node(), str(NPM / "node_modules" / EVERYTHING / "dist" / "index.js"), transport]


def _pinned(*packages: str) -> Callable[[], dict[str, str]]:
    return lambda: {package: python.version_of(package) for package in packages}


def _from_npm(*packages: str) -> Callable[[], dict[str, str]]:
    return lambda: {package: node.version_of(NPM, package) for package in packages}


def _typescript_server(*words: str) -> Command:
    return ["env", f"NODE_MODULES={NPM}", node.node(), str(SERVERS / "typescript.mjs"), *words]


def _typescript_client(version: str) -> Callable[[], Command]:
    program = [sys.executable, str(CLIENTS / "typescript.py")]
    return lambda: [*program, f"--version={version}", f"--modules={NPM}", f"--node={node.node()}"]


OUR_SERVER = Server(lambda: _ours("--stdio"), lambda port: _ours("--http", "--port", str(port)))
OUR_CLIENT = [sys.executable, str(CLIENTS / "ours.py")]

PAIRS = (
    Pair(
        "official-client",
        "The official Python SDK's client on our server",
        _pinned("mcp"),
        lambda: _in_python(CLIENTS / "official.py"),
        OUR_SERVER,
    ),
    Pair(
        "official-server",
        "Our client on a server of the official Python SDK",
        _pinned("mcp"),
        lambda: OUR_CLIENT,
        Server(
            lambda: _in_python(SERVERS / "official.py"),
            lambda port: _in_python(SERVERS / "official.py", "--http", str(port)),
        ),
    ),
    Pair(
        "fastmcp-client",
        "fastmcp's client on our server",
        _pinned("fastmcp", "fastmcp-tasks", "mcp"),
        lambda: _in_python(CLIENTS / "fast.py"),
        OUR_SERVER,
    ),
    Pair(
        "fastmcp-server",
        "Our client on a server of fastmcp",
        _pinned("fastmcp", "fastmcp-tasks", "mcp"),
        lambda: OUR_CLIENT,
        Server(
            lambda: _in_python(SERVERS / "fast.py"),
            lambda port: _in_python(SERVERS / "fast.py", "--http", str(port)),
        ),
    ),
    Pair(
        "everything",
        "Our client on server-everything, of the TypeScript SDK",
        _from_npm(EVERYTHING, TYPESCRIPT),
        lambda: [*OUR_CLIENT, "--everything"],
        Server(
            lambda: _everything("stdio"),
            lambda port: ["env", f"PORT={port}", *_everything("streamableHttp")],
            lambda port: ["env", f"PORT={port}", *_everything("sse")],
        ),
        transports=(STDIO, HTTP, SSE),
        # HTTP+SSE was gone before there was anything without a session.
        without=((SSE, STATELESS),),
        needs_npm=True,
    ),
    Pair(
        "typescript-1-client",
        "The client of the TypeScript SDK's first version on our server",
        _from_npm(TYPESCRIPT),
        _typescript_client("1"),
        OUR_SERVER,
        eras=(HANDSHAKE,),
        needs_npm=True,
    ),
    Pair(
        "typescript-2-client",
        "The client of the TypeScript SDK's second version on our server",
        _from_npm(TYPESCRIPT_CLIENT),
        _typescript_client("2"),
        OUR_SERVER,
        needs_npm=True,
    ),
    Pair(
        "typescript-2-server",
        "Our client on a server of the TypeScript SDK's second version",
        _from_npm(TYPESCRIPT_SERVER),
        lambda: OUR_CLIENT,
        Server(lambda: _typescript_server(), lambda port: _typescript_server("--http", str(port))),
        # As its own entry for HTTP serves earlier revisions, there is no session over which anything could be asked.
        without=((HTTP, HANDSHAKE),),
        needs_npm=True,
    ),
)


def columns_of(pair: Pair) -> list[Column]:
    """Return the columns of a pair, in the order of the table."""
    both = [(transport, era) for transport in pair.transports for era in pair.eras]
    return [Column(pair, *item) for item in both if item not in pair.without]
