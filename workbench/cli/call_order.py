"""Call a tool and print its result: the implementation of `workbench call`."""

import asyncio
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError, RemoteError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.uri_templates import UriTemplate
from server_core.records.masking import Masker
from server_core.runtime.suggestions import closest_name
from workbench.cli import console, output
from workbench.cli.argument_check import check_arguments
from workbench.cli.call_arguments import parse_arguments, parse_object
from workbench.cli.command_run import DONE, FAILED, time_limit
from workbench.cli.unknown_arguments import warn_of_unknown
from workbench.client.deadline import Limits, TimedOut
from workbench.client.target import Era, Target, matching_tools
from workbench.client.tool_call import CallProgress
from workbench.client.url_elicitations import MAX_WAITS
from workbench.model.catalog import OfferKind
from workbench.model.json_members import object_in, objects_in
from workbench.model.missing_requirements import attributes_from
from workbench.model.personas import WORKBENCH, Persona
from workbench.model.references import Values
from workbench.model.short_text import escaped_lines

if TYPE_CHECKING:
    from workbench.client.session import ClientSession

MAX_EXTENSIONS = 10
"""The maximum duration of a call that reports progress, as a multiple of its timeout."""
MAX_SCRIPTED_WAITS = 2


@dataclass(frozen=True)
class CallOrder:
    """The call to make, and the answers to the server's requests."""

    target: Target
    tool: str  # As on the wire, qualified, or the name of its function if that is unique; of a saved call, its target.
    words: tuple[str, ...] = ()  # key=value and key:=json; they override the members of `base`.
    base: dict[str, Any] = field(default_factory=dict)
    saved: dict[str, Any] = field(default_factory=dict)  # The arguments of a saved call, which `base` overrides.
    answers: tuple[dict[str, Any], ...] = ()  # Contents for elicitations, in order.
    accept: bool = False  # Accept elicitations with their defaults.
    sample: str | None = None
    persona: Persona = WORKBENCH  # The client that the server sees.
    uses_rules: bool = True  # Answer requests by the rules of workbench.yaml.
    meta: dict[str, str] = field(default_factory=dict)  # Sent in `_meta`.
    as_json: bool = False
    era: Era = Era.AUTO
    save: Path | None = None  # The file for the content of the result.
    timeout: float | None = None  # Seconds without a response or progress; None for no limit.
    raw: bool = False  # Send arguments also if the schema of the tool does not allow them.
    kind: OfferKind = OfferKind.TOOL  # Of what is called; others than tools are saved calls.
    values: Values | None = None  # Of the references in a saved call; None where there are none to resolve.

    @property
    def max_waits(self) -> int:
        """How often the call is repeated for a URL elicitation; less often when no user is there to open the URL."""
        return MAX_SCRIPTED_WAITS if self.accept or self.answers else MAX_WAITS

    @property
    def limits(self) -> Limits:
        return Limits() if self.timeout is None else Limits(self.timeout, MAX_EXTENSIONS * self.timeout)


def read_meta(words: Iterable[str]) -> dict[str, str]:
    """Return the values of `--meta`; a word that is not KEY=VALUE raises a ConfigurationError."""
    try:
        return attributes_from(words)
    except ValueError as error:
        raise ConfigurationError(f"--meta {error}") from None


def read_base(text: str) -> dict[str, Any]:
    """Return the arguments in `--args`: a JSON object, `@FILE` to read a file, or `-` to read stdin."""
    if not text:
        return {}
    if text == "-":
        return parse_object(sys.stdin.read(), "--args from stdin")
    if text.startswith("@"):
        path = Path(text[1:])
        try:
            return parse_object(path.read_text(encoding="utf-8"), f"--args {path}")
        except OSError as error:
            raise ConfigurationError(f"--args cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ConfigurationError(f"--args cannot read {path}: it is not UTF-8 text") from None
    return parse_object(text, "--args")


async def call_tool(order: CallOrder) -> int:
    """Make a call, print its result, and return the exit code."""
    from workbench.cli.call_answers import CommandAnswers, leave_to
    from workbench.cli.call_rules import CallRules
    from workbench.cli.line_prompts import Asker
    from workbench.cli.server_session import connected, forward_stderr
    from workbench.client.questions import PendingQuestions

    async with Asker.at_terminal() as asker:
        options = CommandAnswers(order.answers, order.accept, order.sample)
        questions = PendingQuestions([options], otherwise=[leave_to(asker)])
        rules = CallRules(questions, order.target, asker)
        if order.uses_rules:
            questions.responder = rules
        secrets = {} if order.values is None else order.values.secrets
        masker = Masker(secrets)
        session_with = connected(
            order.target,
            order.era,
            questions=questions,
            secrets=secrets,
            on_stderr=lambda line: forward_stderr(masker.mask(line)),
            on_notification=lambda notification: _write_log_message(notification, masker),
            tool=order.tool if order.kind is OfferKind.TOOL else "",
            max_waits=order.max_waits,
            timeout=order.timeout,
            capture=True,
            persona=order.persona,
        )
        async with session_with as session:
            try:
                outcome: dict[str, Any] | RemoteError = await _outcome(session, order, masker)
            except RemoteError as error:
                outcome = RemoteError(error.code, masker.mask_text(error.message), masker.mask_value(error.data))
            finally:
                await rules.close()
    # Until the session has ended, output of the tools is captured from standard output.
    return _show(masker.mask_value(outcome) if isinstance(outcome, dict) else outcome, order)


async def _outcome(session: "ClientSession", order: CallOrder, masker: Masker) -> dict[str, Any]:
    with time_limit(order.timeout if order.target.project is not None else None):
        if order.kind is OfferKind.TOOL:
            return await _call(session, order, masker)
        return await _read(session, order)


async def _call(session: "ClientSession", order: CallOrder, masker: Masker) -> dict[str, Any]:
    tool = find_tool(order.tool, await list_tools(session, order.timeout), order.target)
    schema = object_in(tool, "inputSchema")
    arguments = _arguments(order, schema)
    warn_of_unknown(arguments, schema)
    if not order.raw:
        check_arguments(str(tool["name"]), arguments, schema)
    call = session.call_tool(
        tool["name"],
        arguments,
        on_progress=lambda progress: _write_progress(progress, masker),
        limits=order.limits,
        meta=order.meta,
    )
    try:
        return await call.result()
    finally:
        call.cancel("interrupted")


async def _read(session: "ClientSession", order: CallOrder) -> dict[str, Any]:
    arguments = _arguments(order, {})
    if order.kind is OfferKind.PROMPT:
        messages = objects_in(await session.get_prompt(order.tool, arguments), "messages")
        return {"content": [message.get("content") for message in messages]}
    uri = UriTemplate(order.tool).expand(arguments) if order.kind is OfferKind.TEMPLATE else order.tool
    contents = objects_in(await session.read_resource(uri), "contents")
    texts = [{"type": "text", "text": item["text"]} for item in contents if isinstance(item.get("text"), str)]
    return {"content": texts or [{"type": "resource", "resource": item} for item in contents]}


def _arguments(order: CallOrder, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments to send: with the files that a saved call names, and the values of its references."""
    given = parse_arguments(order.words, order.base, schema)
    saved = {name: value for name, value in order.saved.items() if name not in given}
    from workbench.workspace.value_files import with_files

    arguments = {**with_files(saved, schema), **given}
    if order.values is None:
        return arguments
    from workbench.workspace.resolving import resolve

    return resolve(arguments, order.values)


async def list_tools(session: "ClientSession", timeout: float | None) -> list[dict[str, Any]]:
    """Return the tools of a server, which has so many seconds; None for no limit."""
    try:
        async with asyncio.timeout(timeout):
            return await session.list_tools()
    except TimeoutError:
        raise TimedOut(f"The server did not list its tools within {timeout:g} seconds.") from None


def _show(outcome: dict[str, Any] | RemoteError, order: CallOrder) -> int:
    if isinstance(outcome, RemoteError):
        if order.as_json:
            body = {"code": outcome.code, "message": outcome.message}
            output.print_json({"error": body if outcome.data is None else body | {"data": outcome.data}})
        raise outcome
    if order.as_json:
        output.print_json(outcome)
    if outcome.get("isError") is True:
        _write_failure(outcome)
        return FAILED
    if order.save is not None:
        _save(outcome, order.save)
    elif not order.as_json:
        output.print_result(outcome)
    return DONE


def _save(result: dict[str, Any], path: Path) -> None:
    from workbench.model.describe import size
    from workbench.model.saved_content import content_of_result

    content = content_of_result(result)
    if content is None:
        raise ConfigurationError("--save has nothing to write: the result has no content, or its base64 is invalid")
    try:
        path.write_bytes(content.data)
    except OSError as error:
        raise ConfigurationError(f"--save cannot write {path}: {error.strerror}") from None
    console.write(f"saved {size(len(content.data))} to {path}")


def find_tool(name: str, tools: list[dict[str, Any]], target: Target) -> dict[str, Any]:
    """Return the tool that a name means; a ConfigurationError suggests another if there is none."""
    from workbench.cli.server_session import check_not_empty

    check_not_empty(target, tools)
    names = [str(tool.get("name")) for tool in tools]
    matches = matching_tools(name, names)
    if len(matches) == 1:
        return tools[names.index(matches[0])]
    if matches:
        raise ConfigurationError(
            f"{name!r} is ambiguous in {target.title}: {' or '.join(matches)}; write the full name."
        )
    close = closest_name(name, names)
    guess = f"; did you mean {close!r}?" if close else "."
    raise ConfigurationError(f"no tool named {name!r} in {target.title}{guess} Run `workbench list` to see them.")


def _write_log_message(notification: Notification, masker: Masker) -> None:
    if notification.method == "notifications/message":
        params = notification.params
        data = params.get("data")
        text = data if isinstance(data, str) else output.json_text(data)
        logger = f" {params['logger']}" if params.get("logger") else ""
        console.write(masker.mask_text(f"{params.get('level', 'log')}{logger}: {text}"))


def _write_progress(progress: CallProgress, masker: Masker) -> None:
    total = f"/{progress.total:g}" if progress.total is not None else ""
    message = f" {progress.message}" if progress.message else ""
    console.write(masker.mask_text(f"progress {progress.progress:g}{total}{message}"))


def _write_failure(result: dict[str, Any]) -> None:
    from workbench.model.error_texts import tool_failure

    if (details := tool_failure(result)) is not None:
        kind = f" [{details.kind}]" if details.kind and details.kind not in details.message else ""
        console.fail(f"the tool failed{kind}: {details.message}")
        # The message is escaped already.
        if details.advice and escaped_lines(details.hint) not in details.message:
            console.write(f"hint: {details.advice}")
