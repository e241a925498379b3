"""The sessions of an HTTP endpoint: their owners, their number, and when they expire."""

import pytest

from server_core.settings import Settings
from server_core.transports.streamable.event_store import MemoryEvents
from server_core.transports.streamable.expiring_map import ExpiringMap
from server_core.transports.streamable.session_registry import HttpSessions
from tests.clock import Clock
from tests.server_core.toolkit import Toolkit, new_server

pytestmark = pytest.mark.promises("sessions")


async def test_a_session_can_be_used_only_by_the_user_who_opened_it() -> None:
    book = HttpSessions(new_server(Toolkit()), Settings(), MemoryEvents(10))
    session = book.open("127.0.0.1", "ada")
    assert session is not None
    assert book.find(session.id, "ada") is session
    assert book.find(session.id, "bob") is None
    assert book.find(session.id) is None
    assert await book.restore(session.id, "bob", "127.0.0.1") is None
    book.close_all()


async def test_the_id_of_a_session_is_what_its_tools_know() -> None:
    server = new_server(Toolkit())
    book = HttpSessions(server, Settings(), MemoryEvents(10))
    session = book.open("127.0.0.1")
    assert session is not None
    assert server.sessions["s1"].client.session_id == session.id
    book.close_all()


async def test_entries_expire_when_they_are_not_used() -> None:
    clock, gone = Clock(0.0), list[str]()
    entries = ExpiringMap[str, str](10, lambda value: value == "busy", gone.append, clock=clock)
    for key in ("busy", "idle", "used"):
        entries.add(key, key)
    clock.now = 6
    entries.use("used")
    clock.now = 11
    entries.sweep()
    assert gone == ["idle"]
    assert list(entries) == ["busy", "used"]
    clock.now = 17
    assert entries.peek("used") is None
    assert gone == ["idle", "used"]
    entries.clear()
