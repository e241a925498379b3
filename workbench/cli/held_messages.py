"""The held messages of a core, over its link, for `workbench hold`: printed as lines of JSON, and acted on.

Each line has an `event`: `held` with what is known of the message, or what became of it, such as `edited`. The message
itself is `message` if it is JSON, else `text`. Secrets are masked.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError, ConnectionFailed, RemoteError, WorkbenchError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.records.tap import Kind, Record
from server_core.runtime.background import spawn
from server_core.runtime.safe_json import parse_json
from server_core.runtime.suggestions import closest_name
from workbench.cli import console, output
from workbench.cli.command_run import DONE, FAILED
from workbench.model.describe import plural
from workbench.model.short_text import escaped_in_json

if TYPE_CHECKING:
    from server_core.link.descriptor import Descriptor
    from workbench.link.remote import RemoteLink

OUTCOMES = frozenset(
    f"message_{state}" for state in ("released", "edited", "dropped", "duplicated", "delayed", "answered", "expired")
)
MAX_DRAINED = 100_000
CLEARED = "hold_cleared"
LIMIT_REACHED = "hold_limit_reached"


class VerbRefused(WorkbenchError):
    """The core refused a verb: the message no longer waits, or the verb does not apply to it."""


def checked_filter(text: str) -> str:
    """Return a filter in which saved filters are written out.

    ConfigurationError for an invalid filter, and for a field that does not exist: it would hold nothing.
    """
    from workbench.model.traffic.filter_terms import FIELDS
    from workbench.model.traffic.filter_tokens import FilterError
    from workbench.workspace.saved_filters import read_filter, written_out

    try:
        unknown = read_filter(text).unknown_field
    except FilterError as error:
        raise ConfigurationError(f"The filter is invalid: {error}") from error
    if unknown:
        close = closest_name(unknown, FIELDS)
        guess = f"; did you mean {close}: ?" if close else f"; the fields are {', '.join(FIELDS)}."
        text = f"In quotes it is searched as a text: '\"{unknown}:...\"'"
        raise ConfigurationError(f"The filter has no field {unknown}:{guess} {text}")
    return written_out(text)


async def print_held(core: "Descriptor", text: str, client_timeout: float) -> int:
    """Hold the messages that match, and print them until the filter is cleared; ConnectionFailed if the core ends."""
    async with _attached(core) as link:
        params = {"filter": text, "client_timeout": client_timeout, "name": f"workbench hold, process {os.getpid()}"}
        hold = await _request(link, "hold/set", params, ConfigurationError)
        console.write(f"Holding messages of the core {link.info['id']}; Ctrl+C ends this and releases them.")
        arrived = asyncio.Event()
        link.on_records = arrived.set
        for message in hold["held"]:
            await _print_message(link, message["id"])
        await link.subscribe(hold["seq"])
        closing = spawn(link.closed.wait(), "end of the core")
        closing.add_done_callback(lambda _: arrived.set())
        try:
            while not link.closed.is_set():
                await arrived.wait()
                arrived.clear()
                for record in link.drain(MAX_DRAINED):
                    if await _print_event(link, record) == CLEARED:
                        console.write("The filter was cleared: nothing more is held.")
                        return DONE
        finally:
            closing.cancel()
        raise ConnectionFailed(f"The core {link.info['id']} has ended.")


async def list_messages(core: "Descriptor", as_json: bool) -> int:
    """Print the messages that wait."""
    async with _attached(core) as link:
        hold = await _request(link, "hold/list")
    if as_json:
        output.print_json(hold)
    elif hold["held"]:
        rows = [("ID", "SESSION", "DIR", "KIND", "METHOD", "NAME", "STATE", "CLIENT TIMEOUT", "HELD BY")]
        output.print_table(rows + [_row(message) for message in hold["held"]])
    else:
        by = f" (set by: {hold['held_by']})" if hold.get("held_by") else ""
        text = hold["filter"]
        waiting = "No filter is set." if text is None else f"The filter is: {text or 'everything'}{by}"
        console.write(f"No message is held. {waiting}")
    return DONE


async def act_on(core: "Descriptor", verb: str, ids: list[int], params: dict[str, Any]) -> int:
    """Act on messages, and report each that the core refuses; FAILED if there is any."""
    refused = False
    async with _attached(core) as link:
        for id in ids:
            try:
                done = await _request(link, f"hold/{verb}", {"id": id, **params})
            except VerbRefused as error:
                refused = True
                console.fail(str(error))
            else:
                passed = f" as message {', '.join(map(str, done['passed']))}" if done["passed"] else ""
                console.write(f"Message {id} is {done['state']}{passed}.")
    return FAILED if refused else DONE


async def clear_hold(core: "Descriptor") -> int:
    """Hold nothing more, and release all messages."""
    async with _attached(core) as link:
        waiting = len((await _request(link, "hold/list"))["held"])
        await _request(link, "hold/clear")
    console.write(f"Nothing is held; released {plural(waiting, 'message')}.")
    return DONE


@contextlib.asynccontextmanager
async def _attached(core: "Descriptor") -> "AsyncIterator[RemoteLink]":
    from workbench.link.remote import RemoteLink

    link = await RemoteLink.connect(core, "operator")
    try:
        yield link
    finally:
        await link.close()


async def _request(
    link: "RemoteLink",
    method: str,
    params: dict[str, Any] | None = None,
    refusal: type[ConfigurationError] | type[VerbRefused] = VerbRefused,
) -> dict[str, Any]:
    try:
        return await link.request(method, params)
    except RemoteError as error:
        raise (ConfigurationError if error.code == INVALID_PARAMS else refusal)(error.message) from error


async def _print_event(link: "RemoteLink", record: Record) -> str:
    """Print an event about held messages, and return the name of any event; empty for other records."""
    if record.kind is not Kind.LIFECYCLE:
        return ""
    value: dict[str, Any] = parse_json(record.data.decode())
    event: str = value["event"]
    if event == "message_held":
        await _print_message(link, value["message"])
    elif event in OUTCOMES:
        outcome = event.removeprefix("message_")
        facts = {name: fact for name, fact in value.items() if name not in ("event", "message")}
        _print_line({"event": outcome, "id": value["message"], **facts})
    elif event == LIMIT_REACHED:
        console.warn(f"{plural(value['messages'], 'message')} are held, which is the limit: others pass")
    return event


async def _print_message(link: "RemoteLink", id: int) -> None:
    held = (await _request(link, "hold/list"))["held"]
    # It may have been released meanwhile; its outcome follows.
    facts = next((message for message in held if message["id"] == id), {"id": id})
    [record] = (await _request(link, "records/get", {"seqs": [id]}))["records"] or [{"data": ""}]
    _print_line({"event": "held", **facts, **_content(record)})


def _content(record: dict[str, Any]) -> dict[str, Any]:
    text = record.get("data", "")
    try:
        return {"message": parse_json(text)}
    except ValueError:
        return {"text": text}


def _print_line(value: dict[str, Any]) -> None:
    output.print_line(escaped_in_json(json.dumps(value, ensure_ascii=False)))


def _row(message: dict[str, Any]) -> tuple[str, ...]:
    left = message["seconds_left"]
    timeout = "-" if left is None else "over" if left <= 0 else f"in {left:.0f} s"
    state = "cancelled by the client" if message["cancelled"] else message["state"]
    columns = (message[key] or "-" for key in ("session", "direction", "kind", "method", "name"))
    return (str(message["id"]), *columns, state, timeout, message.get("held_by") or "-")
