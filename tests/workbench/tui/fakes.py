"""A workspace with fixed data on a fake link: screens are tested without a core, and without a clock."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from server_core.errors import ConnectionFailed
from server_core.protocol.revisions import LATEST
from server_core.records.tap import Direction, Kind, Record
from tests.workbench.client.scripted import ScriptedServer
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

NOON = 1_800_014_400.0
"""The current time of the fixed data: 2027-01-15 12:00:00 UTC."""

INFO = {
    "id": "k7",
    "pid": 4242,
    "version": "0.1.0",
    "project": "demo",
    "mode": "project",
    "started": NOON - 60,
    "http_url": None,
    "capture": "/home/ada/.local/share/workbench/captures/demo-2027-01-15.capture",
    "role": "admin",
    "loaded": True,
    "generation": 2,
}

CATALOG: dict[str, Any] = {
    "generation": 2,
    "ok": True,
    "identity": {"name": "demo", "version": "1.2.0", "title": "Demo", "instructions": ""},
    "tools": [
        {"name": "greet", "description": "Greet someone by name.", "inputSchema": {"type": "object"}, "secrets": []},
        {"name": "order_beans", "inputSchema": {"type": "object"}, "secrets": ["SUPPLIER_KEY"]},
    ],
    "resources": [],
    "templates": [],
    "prompts": [],
    "problems": [
        {
            "severity": "error",
            "message": "The tool 'book' has a parameter without a type: guests.",
            "file": "/home/ada/demo/tools/booking.py",
            "line": 14,
            "source_line": "def book(name: str, guests) -> str:",
            "fix": "Annotate it, for example: guests: list[str]",
            "kind": "TOOL_DEFINITION_BAD_INPUT_SCHEMA",
        },
        {
            "severity": "warning",
            "message": "The tool 'add' has no description.",
            "file": "/home/ada/demo/tools/numbers.py",
            "line": 3,
            "source_line": "def add(a: int, b: int) -> int:",
            "fix": "Write a docstring: agents choose tools by it.",
            "kind": "TOOL_DEFINITION_BAD_DEFINITION",
        },
    ],
    "changes": {
        "tools": {"added": ["order_beans"], "removed": ["old"], "changed": ["greet"]},
        "resources": {"added": [], "removed": [], "changed": []},
        "prompts": {"added": [], "removed": [], "changed": []},
    },
    "reloaded": ["tools.greeting"],
    "duration_ms": 41.7,
}

SERVER: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "demo", "title": "Demo", "version": "1.2.0"},
}

SECRETS = [
    {"key": "CITY", "tools": ["weather"], "is_set": True, "source": "environment", "path": None},
    {
        "key": "MAP_KEY",
        "tools": ["weather", "route"],
        "is_set": True,
        "source": ".env",
        "path": "/home/ada/demo/.env",
    },
    {"key": "SUPPLIER_KEY", "tools": ["order_beans"], "is_set": False, "source": "missing", "path": None},
]

ACCOUNTS: list[dict[str, Any]] = [
    {
        "account": "github",
        "service": "GitHub",
        "tools": ["my_login", "star"],
        "wanted": ["read:user", "repo"],
        "state": "authorized",
        "as": "ada@example.org",
        "scopes": ["read:user", "repo"],
        "expires_at": NOON + 3600,
        "renews": True,
        "by_device": True,
    },
    {
        "account": "google",
        "service": "Google",
        "tools": ["calendar"],
        "wanted": ["https://www.googleapis.com/auth/calendar.readonly"],
        "state": "no client",
        "as": None,
        "scopes": [],
        "expires_at": None,
        "renews": False,
        "by_device": True,
        "problem": "No client of Google is set up: register one at https://console.cloud.google.com/apis/credentials"
        " with the redirect URI http://127.0.0.1:8975/callback/google, and set the secrets GOOGLE_CLIENT_ID and"
        " GOOGLE_CLIENT_SECRET; or set a token of your own as GOOGLE_TOKEN.",
    },
    {
        "account": "slack",
        "service": "Slack",
        "tools": ["post"],
        "wanted": ["chat:write"],
        "state": "needs consent",
        "as": None,
        "scopes": [],
        "expires_at": None,
        "renews": False,
        "by_device": False,
    },
]

SESSIONS = [
    {
        "key": "s1",
        "transport": "link",
        "peer": "workbench",
        "client": {"name": "workbench", "version": "0.1.0"},
        "revision": "2025-11-25",
        "capabilities": {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {"listChanged": True}},
        "opened": NOON - 55,
        "closed": None,
        "calls": 12,
        "in_flight": [{"id": 13, "method": "tools/call", "name": "roast", "started": NOON - 4}],
    },
    {
        "key": "s2",
        "transport": "http",
        "client": {"name": "claude-code", "version": "3.0.1"},
        "revision": "2025-06-18",
        "capabilities": {"roots": {}},
        "opened": NOON - 7200,
        "closed": None,
        "calls": 1204,
        "in_flight": [],
    },
    {
        "key": "s3",
        "transport": "stdio",
        "client": None,
        "revision": None,
        "capabilities": {},
        "opened": NOON - 300,
        "closed": NOON - 200,
        "calls": 0,
        "in_flight": [],
    },
]

CAPTURES = [
    {
        "path": "/captures/demo-2027-01-15.capture",
        "project": "demo",
        "started": NOON - 60,
        "records": 1234,
        "bytes": 482_113,
        "ended": None,
        "problem": "",
        "name": "the slow order",
        "pinned": True,
        "note": "For the next release.",
        "server": "1.2.0",
        "clients": ["workbench", "claude-code"],
        "calls": 310,
        "errors": 4,
    },
    {
        "path": "/captures/demo-2027-01-14.capture",
        "project": "demo",
        "started": NOON - 86_400,
        "records": 88,
        "bytes": 40_960,
        "ended": NOON - 80_000,
        "problem": "",
        "server": "1.2.0",
        "clients": ["workbench"],
        "calls": 7,
        "errors": 0,
        "tools": ["grind", "pour"],
    },
    {
        "path": "/captures/newer.capture",
        "project": "",
        "started": 0.0,
        "records": 0,
        "bytes": 40_960,
        "ended": None,
        "problem": "written by a newer version (format 7, this version reads 1); update workbench",
    },
]


def record(seq: int, kind: Kind, direction: Direction, body: Any, *, session: str = "s1", call: str = "") -> Record:
    """Return a record; a body other than bytes is serialised as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return Record(seq, NOON + seq * 0.25, session, direction, kind, call, data)


def conversation() -> list[Record]:
    """Return a short conversation with every kind of record."""
    ask, reply, core = Direction.IN, Direction.OUT, Direction.NONE

    def rpc(**members: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", **members}

    rows: list[tuple[Kind, Direction, Any, str]] = [
        (Kind.LIFECYCLE, core, {"event": "session_opened", "transport": "link"}, ""),
        (Kind.REQUEST, ask, rpc(id=0, method="initialize", params={"protocolVersion": "2025-11-25"}), ""),
        (Kind.RESPONSE, reply, rpc(id=0, result={"serverInfo": {"name": "demo"}}), ""),
        (Kind.NOTIFICATION, ask, rpc(method="notifications/initialized"), ""),
        (
            Kind.REQUEST,
            ask,
            rpc(id=1, method="tools/call", params={"name": "greet", "arguments": {"name": "Ada", "times": 3}}),
            "",
        ),
        (Kind.STDOUT, core, b"greeting Ada\n", "1"),
        (
            Kind.NOTIFICATION,
            reply,
            rpc(method="notifications/message", params={"level": "info", "data": "hello"}),
            "1",
        ),
        (Kind.RESPONSE, reply, rpc(id=1, result={"content": [{"type": "text", "text": "Hello, Ada!"}]}), ""),
        (Kind.REQUEST, ask, rpc(id=2, method="tools/call", params={"name": "ad", "arguments": {}}), ""),
        (Kind.ERROR, reply, rpc(id=2, error={"code": -32602, "message": "Unknown tool: 'ad'"}), ""),
        (Kind.MALFORMED, ask, b"{not json \x1b[31m", ""),
        (Kind.STDERR, core, b"Traceback (most recent call last):\n", ""),
        (Kind.HTTP, ask, {"method": "POST", "path": "/mcp", "status": 404}, ""),
        (Kind.REQUEST, ask, rpc(id=3, method="tools/call", params={"name": "fail", "arguments": {}}), ""),
        (Kind.RESPONSE, reply, rpc(id=3, result={"isError": True, "content": [{"type": "text", "text": "No."}]}), ""),
        (Kind.REQUEST, ask, rpc(id="a", method="tools/call", params={"name": "roast", "arguments": {}}), ""),
    ]
    return [
        record(seq, kind, direction, body, call=call) for seq, (kind, direction, body, call) in enumerate(rows, start=1)
    ]


class FakeLink:
    """A link without a core: it answers from a table and delivers the records that it is given."""

    def __init__(self, records: list[Record] | None = None) -> None:
        self.info: dict[str, Any] = dict(INFO)
        self.closed = asyncio.Event()
        self.on_records: Callable[[], None] | None = None
        self.dropped = 0
        self.session_ids: list[str] = []
        self.asked: list[tuple[str, dict[str, Any]]] = []
        """Every request, in order."""
        self.stored: dict[int, Record] = {}
        """The records returned by `records/get`."""
        self.answers: dict[str, Any] = {
            "core/info": self.info,
            "catalog/get": dict(CATALOG),
            "secrets/list": {"secrets": SECRETS},
            "accounts/list": {"accounts": []},
            "sessions/list": {"sessions": SESSIONS},
            "captures/list": {"captures": CAPTURES},
            "questions/list": {"questions": []},
            "questions/answer": {},
            "questions/end": {},
            "hold/list": {"filter": None, "client_timeout": 60.0, "held": []},
            "secrets/set": {},
            "secrets/unset": {},
            "accounts/logout": {"given_back": True},
            "accounts/login": {"url": "https://slack.com/oauth/v2/authorize?state=xyz", "code": ""},
            "calls/time": {"seconds_left": None},
            "calls/extend": {"seconds_left": 80.0},
            "core/reload": {},
            "core/stop": {},
            "core/keep": {},
            "core/http": {"url": "http://127.0.0.1:8000/mcp"},
            "core/stop_http": {},
        }
        self.server = ScriptedServer()
        self.server.replies["initialize"] = SERVER
        self._records = list(records or [])

    @property
    def methods(self) -> list[str]:
        """The methods of all requests, in order."""
        return [method for method, _ in self.asked]

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Answer from the table; an error in it is raised."""
        self.asked.append((method, params or {}))
        if self.closed.is_set():
            raise ConnectionFailed("The connection to the core is lost.")
        if method == "records/get":
            matches = [self.stored[seq] for seq in (params or {})["seqs"] if seq in self.stored]
            return {"records": [record.to_wire() for record in matches]}
        answer = self.answers[method]
        if isinstance(answer, Exception):
            raise answer
        return dict(answer)

    async def subscribe(self, after: int = 0) -> None:
        """Start delivering records."""

    def drain(self, most: int) -> list[Record]:
        """Return the waiting records."""
        batch, self._records = self._records[:most], self._records[most:]
        return batch

    def arrive(self, records: list[Record]) -> None:
        """Deliver records."""
        self._records += records
        if self.on_records is not None:
            self.on_records()

    async def open_session(self) -> ScriptedServer:
        """Return the channel to the scripted server."""
        return self.server

    async def close(self) -> None:
        """Close."""
        self.closed.set()


async def open_fixed_workspace(link: FakeLink) -> Workspace:
    """Return an open workspace with the fixed data."""
    workspace = Workspace(link, revision=LATEST, clock=lambda: NOON)
    await workspace.open()
    return workspace


def opener(*links: FakeLink) -> Callable[..., Any]:
    """Return the function that opens the fixed workspace for the app: with the next link, finally the last."""
    waiting = list(links)

    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        return await open_fixed_workspace(waiting.pop(0) if len(waiting) > 1 else waiting[0])

    return open_workspace
