"""What a running tool can ask its client for: the person's input, the model's words, the client's folders.

Each namespace checks what the client declared before it sends anything.
"""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import uuid4

from server_core.errors import ContextError, MissingCapability, UrlElicitation, UrlElicitationRequired

if TYPE_CHECKING:
    from pydantic import BaseModel

    from server_core.execution.context import Context

Json: TypeAlias = dict[str, Any]
Action: TypeAlias = Literal["accept", "decline", "cancel"]

_PRIMITIVES = ("string", "number", "integer", "boolean")
_FORMATS = ("email", "uri", "date", "date-time")


@dataclass(frozen=True)
class ElicitResult:
    """What the person did with a question.

    Attributes:
        action: whether they answered, refused, or closed the question.
        content: what they filled in; None unless they accepted a form.
        value: the same as an instance of the model that was asked for.
        elicitation_id: names a visit to an address, where the revision has names for them; else empty.
    """

    action: Action
    content: Json | None = None
    value: Any = None
    elicitation_id: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the person answered."""
        return self.action == "accept"


@dataclass(frozen=True)
class SamplingResult:
    """What the client's model wrote.

    Attributes:
        role: who speaks; `assistant` as a rule.
        content: the blocks, as on the wire.
        model: the model that the client used.
        stop_reason: why it stopped, where the client says so.
    """

    role: str
    content: list[Json]
    model: str
    stop_reason: str | None

    @property
    def text(self) -> str:
        """All text blocks together."""
        return "\n".join(str(block.get("text", "")) for block in self.content if block.get("type") == "text")


class Ui:
    """`context.ui`: ask the person.

    Source: client/elicitation.
    """

    def __init__(self, context: "Context") -> None:
        self._context = context

    async def elicit(
        self,
        message: str,
        schema: "Json | type[BaseModel] | None" = None,
        *,
        mode: Literal["form", "url"] = "form",
        url: str | None = None,
        timeout: float = 300,
        key: str = "",
    ) -> ElicitResult:
        """Ask the person to fill in a form, or to visit an address.

        Args:
            message: what is asked, and why.
            schema: the form: a flat JSON Schema object, or a pydantic model of plain fields.
            mode: `url` sends the person to an address instead (for what must not pass through the client).
            url: the address.
            timeout: seconds to wait for the person.
            key: a name for the question, where questions travel in results; made from its order when not given.

        Returns:
            What the person did.

        Raises:
            MissingCapability: when the client cannot ask.
            ContextError: when nobody answers in time, or the answer does not fit the model.
            RemoteError: when the client answers with an error.
            ValueError: when the form holds what clients cannot show.
        """
        params = self._url(message, url, schema) if mode == "url" else self._form(message, _form_schema(schema))
        self._check(mode)
        result = await self._context.request("elicitation/create", params, timeout, key)
        action = result.get("action")
        if action not in ("accept", "decline", "cancel"):
            raise ContextError(f"The client answered the question with the unknown action {action!r}.")
        if action != "accept" or mode == "url":
            return ElicitResult(action, elicitation_id=params.get("elicitationId", ""))
        content = result.get("content") or {}
        return ElicitResult(action, content, None if isinstance(schema, dict | None) else _filled(schema, content))

    async def complete(self, visit: ElicitResult | UrlElicitation | str) -> None:
        """Tell the client that the person is done at an address, so that it need not wait or ask for that.

        It may be told when the call is over, too: people take their time. Nothing happens where the revision of the
        client has no such thing.

        Args:
            visit: what :meth:`elicit` returned in url mode, what was required of the person, or its id.

        Source: 2025-11-25, client/elicitation, completion notifications for URL mode elicitation.
        """
        id = _id_of(visit)
        port = self._context.port
        if not id or not port.revision.elicitation_ids:
            return
        related = None if self._context.over else self._context.request_id
        port.notify("notifications/elicitation/complete", {"elicitationId": id}, related=related)

    async def ask_to_visit(self, required: UrlElicitationRequired) -> None:
        """Ask the person to visit what is required, where the client can be asked before the request is answered.

        Args:
            required: raised by an author.

        Raises:
            UrlElicitationRequired: when the client is told so by an error, and asks again when it is done.
            ContextError: when the client cannot show addresses, or the person does not want to visit one.
        """
        port = self._context.port
        if "url" not in self._modes:
            raise ContextError(str(required)) from required
        if not port.revision.stateless:
            raise required
        answers = await asyncio.gather(
            *(self.elicit(one.message, mode="url", url=one.url) for one in required.elicitations)
        )
        if not all(answer.accepted for answer in answers):
            raise ContextError(f"The person did not agree. {required}") from required

    @property
    def _modes(self) -> set[str]:
        """The ways in which the client can ask."""
        port = self._context.port
        declared = port.capabilities.get("elicitation")
        if not isinstance(declared, dict) or not port.revision.elicitation:
            return set()
        # An empty capability means forms alone (client/elicitation, capabilities).
        modes = set(declared) & {"form", "url"} or {"form"}
        return modes if port.revision.url_elicitation else {"form"}

    def _check(self, mode: str) -> None:
        modes = self._modes
        if not modes:
            reason = "This client cannot ask the person: it did not declare the elicitation capability."
            raise MissingCapability(reason, {"elicitation": {mode: {}} if mode == "url" else {}})
        if mode not in modes:
            reason = f"This client cannot ask in {mode} mode: it declared {' and '.join(sorted(modes))} only."
            raise MissingCapability(reason, {"elicitation": {mode: {}}})

    def _form(self, message: str, schema: Json) -> Json:
        check_form_schema(schema)
        params: Json = {"message": message, "requestedSchema": schema}
        return {"mode": "form", **params} if self._context.port.revision.url_elicitation else params

    def _url(self, message: str, url: str | None, schema: Any) -> Json:
        if schema is not None:
            raise ValueError("a question in url mode has no form; leave the schema out.")
        if url is None or not url.startswith(("https://", "http://")):
            raise ValueError("a question in url mode needs an http or https address as url.")
        params: Json = {"mode": "url", "message": message, "url": url}
        return {**params, "elicitationId": uuid4().hex} if self._context.port.revision.elicitation_ids else params


class Sampling:
    """`context.sampling`: ask the client's model.

    Source: client/sampling.
    """

    def __init__(self, context: "Context") -> None:
        self._context = context

    async def create_message(
        self,
        messages: str | list[str | Json],
        *,
        system_prompt: str | None = None,
        max_tokens: int = 512,
        temperature: float | None = None,
        stop_sequences: list[str] | None = None,
        model_preferences: Json | str | list[str] | None = None,
        include_context: Literal["none", "thisServer", "allServers"] | None = None,
        tools: list[Json] | None = None,
        tool_choice: Json | None = None,
        metadata: Json | None = None,
        timeout: float = 60,
        key: str = "",
    ) -> SamplingResult:
        """Ask the client's model to write the next message.

        Args:
            messages: the conversation: text, or messages as on the wire; bare text is the user's.
            system_prompt: what the model should be.
            max_tokens: how much it may write.
            temperature: how free it may be.
            stop_sequences: texts that end its writing.
            model_preferences: as on the wire, or the name of a model, or names in order of preference.
            include_context: whose context the client should add.
            tools: tools that the model may call, as on the wire.
            tool_choice: `{"mode": "auto" | "required" | "none"}`.
            metadata: passed on to the model's provider.
            timeout: seconds to wait.
            key: a name for the question, where questions travel in results; made from its order when not given.

        Returns:
            What the model wrote; `.text` is its text.

        Raises:
            MissingCapability: when the client has no model to ask.
            ContextError: when it does not answer in time.
            RemoteError: when the client answers with an error, as when the person refuses.
        """
        self._check(wants_tools=tools is not None or tool_choice is not None)
        optional = {
            "systemPrompt": system_prompt,
            "temperature": temperature,
            "stopSequences": stop_sequences,
            "modelPreferences": _preferences(model_preferences),
            "includeContext": include_context,
            "tools": tools,
            "toolChoice": tool_choice,
            "metadata": metadata,
        }
        params: Json = {
            "messages": [_message(one) for one in ([messages] if isinstance(messages, str) else messages)],
            "maxTokens": max_tokens,
            **{name: value for name, value in optional.items() if value is not None},
        }
        result = await self._context.request("sampling/createMessage", params, timeout, key)
        content = result.get("content")
        return SamplingResult(
            result.get("role", "assistant"),
            content if isinstance(content, list) else [content] if isinstance(content, dict) else [],
            result.get("model", ""),
            result.get("stopReason"),
        )

    def _check(self, *, wants_tools: bool) -> None:
        declared = self._context.port.capabilities.get("sampling")
        if not isinstance(declared, dict):
            reason = "This client has no model to ask: it did not declare the sampling capability."
            raise MissingCapability(reason, {"sampling": {"tools": {}} if wants_tools else {}})
        if wants_tools and not (self._context.port.revision.sampling_tools and "tools" in declared):
            reason = "This client's model takes no tools: it did not declare the sampling.tools capability."
            raise MissingCapability(reason, {"sampling": {"tools": {}}})


class Roots:
    """`context.roots`: the folders that the client opens to the server.

    Source: client/roots.
    """

    def __init__(self, context: "Context") -> None:
        self._context = context

    async def list(self, timeout: float = 60, key: str = "") -> "list[Json]":
        """Return the roots as on the wire: `uri`, and a `name` where the client gives one.

        Args:
            timeout: seconds to wait.
            key: a name for the question, where questions travel in results; made from its order when not given.

        Raises:
            MissingCapability: when the client has no roots to tell of.
            ContextError: when it does not answer in time.
            RemoteError: when the client answers with an error.
        """
        if "roots" not in self._context.port.capabilities:
            reason = "This client tells no roots: it did not declare the roots capability."
            raise MissingCapability(reason, {"roots": {}})
        result = await self._context.request("roots/list", {}, timeout, key)
        return [root for root in result.get("roots", ()) if isinstance(root, dict)]


def _id_of(visit: ElicitResult | UrlElicitation | str) -> str:
    if isinstance(visit, ElicitResult):
        return visit.elicitation_id
    return visit.id if isinstance(visit, UrlElicitation) else visit


def check_form_schema(schema: Json) -> None:
    """Check that every client can show a form for the schema.

    Raises:
        ValueError: when it is no flat object of plain fields; the message names the field.

    Source: client/elicitation, requested schema.
    """
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        raise ValueError("a form's schema must be an object with properties.")
    for name, field in schema["properties"].items():
        _check_field(name, field)


def _check_field(name: str, field: Any) -> None:
    kind = field.get("type") if isinstance(field, dict) else None
    if kind == "array":
        items = field.get("items")
        if not isinstance(items, dict) or not {"enum", "anyOf", "oneOf"} & set(items):
            raise ValueError(f"the field {name!r} is a list, and a form can show only lists of given choices.")
    elif kind not in _PRIMITIVES and not (isinstance(field, dict) and {"enum", "oneOf"} & set(field)):
        raise ValueError(f"the field {name!r} must be one of {', '.join(_PRIMITIVES)}, or a choice: a form is flat.")
    elif kind == "string" and field.get("format", "email") not in _FORMATS:
        raise ValueError(f"the field {name!r} has a format that forms do not know; use one of {', '.join(_FORMATS)}.")


def _form_schema(schema: Any) -> Json:
    if schema is None:
        return {"type": "object", "properties": {}}
    if isinstance(schema, dict):
        return schema
    from server_core.catalog.schema import flat_schema

    return flat_schema(schema)


def _filled(model: Any, content: Json) -> Any:
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(model).validate_python(content)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, one["loc"])) or "the form" for one in error.errors())
        raise ContextError(f"The client's answer does not fit the form: check {fields}.") from error


def _preferences(preferences: Any) -> Any:
    if isinstance(preferences, str):
        preferences = [preferences]
    return {"hints": [{"name": name} for name in preferences]} if isinstance(preferences, list) else preferences


def _message(message: str | Json) -> Json:
    if isinstance(message, str):
        return {"role": "user", "content": {"type": "text", "text": message}}
    if isinstance(message.get("content"), str):
        return {**message, "content": {"type": "text", "text": message["content"]}}
    return message
