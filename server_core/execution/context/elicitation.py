"""`context.ui`: ask the person to fill in a form, or to visit an address.

What the client did not declare fails at once, before anything is sent.

Source: client/elicitation.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from uuid import uuid4

from server_core.errors import (
    ContextError,
    ElicitationModeNotSupportedError,
    ElicitationNotSupportedError,
    UrlElicitation,
    UrlElicitationRequired,
)
from server_core.execution.context.client_port import Namespace
from server_core.execution.context.forms import FormSchema, Json, answer_value, form_for_revision, form_of

Action: TypeAlias = Literal["accept", "decline", "cancel"]
Mode: TypeAlias = Literal["form", "url"]


@dataclass(frozen=True)
class ElicitResult:
    """What the person did with a question.

    Attributes:
        action: whether they answered, refused, or closed the question.
        content: what they filled in; None unless they accepted a form.
        value: the same as an instance of the model or type that was asked for.
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


class Ui(Namespace):
    """`context.ui`: ask the person."""

    async def elicit(
        self,
        message: str,
        schema: FormSchema = None,
        mode: Mode | None = "form",
        url: str | None = None,
        elicitation_id: str | None = None,
        timeout: float = 300,
        *,
        key: str = "",
    ) -> ElicitResult:
        """Ask the person to fill in a form, or to visit an address.

        Args:
            message: what is asked, and why.
            schema: the form: a flat JSON Schema object, a pydantic model of plain fields, or the type of one answer.
            mode: `url` sends the person to an address instead (for what must not pass through the client).
            url: the address.
            elicitation_id: names the visit, for :meth:`complete`; made up when not given.
            timeout: seconds to wait for the person.
            key: a name for the question, by which `context.client.cancel` withdraws it; where questions travel in
                results it is told to the client, and made from the question's order when not given.

        Returns:
            What the person did.

        Raises:
            ElicitationNotSupportedError: when the client cannot ask.
            ElicitationModeNotSupportedError: when it cannot ask in this mode.
            ContextError: when nobody answers in time, or the answer does not fit the model.
            RemoteError: when the client answers with an error.
            ValueError: when the form holds what clients cannot show, or there is an address without its mode.
        """
        is_url = mode == "url"
        params = self._url(message, url, schema, elicitation_id) if is_url else self._form(message, schema, mode, url)
        self._check("url" if is_url else "form")
        if not is_url:
            params["requestedSchema"] = form_for_revision(self._context.port.revision, params["requestedSchema"])
        result = await self._context.request("elicitation/create", params, timeout, key)
        action = result.get("action")
        if action not in ("accept", "decline", "cancel"):
            raise ContextError(f"The client answered the question with the unknown action {action!r}.")
        if action != "accept" or is_url:
            return ElicitResult(action, elicitation_id=params.get("elicitationId", ""))
        content = result.get("content") or {}
        if not isinstance(content, dict):
            raise ContextError("The client's answer does not fit the form: it is no object.")
        return ElicitResult(action, content, answer_value(schema, content))

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
        if not self.shows_addresses:
            raise ContextError(str(required)) from required
        if not port.revision.stateless:
            raise required
        answers = await asyncio.gather(
            *(self.elicit(one.message, mode="url", url=one.url) for one in required.elicitations)
        )
        if not all(answer.accepted for answer in answers):
            raise ContextError(f"The person did not agree. {required}") from required

    @property
    def shows_addresses(self) -> bool:
        """Whether the client can send the person to an address."""
        return "url" in self._modes

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

    def _check(self, mode: Mode) -> None:
        modes = self._modes
        if not modes:
            reason = "This client cannot ask the person: it did not declare the elicitation capability."
            raise ElicitationNotSupportedError(reason, {"elicitation": {mode: {}} if mode == "url" else {}})
        if mode not in modes:
            reason = f"This client cannot ask in {mode} mode: it declared {' and '.join(sorted(modes))} only."
            raise ElicitationModeNotSupportedError(reason, {"elicitation": {mode: {}}})

    def _form(self, message: str, schema: FormSchema, mode: str | None, url: str | None) -> Json:
        if mode not in ("form", None):
            raise ValueError(f"there is no mode {mode!r}; a question is in the mode 'form' or 'url'.")
        if url is not None:
            raise ValueError("a question in form mode has no address; ask with mode='url', or leave the url out.")
        params: Json = {"message": message, "requestedSchema": form_of(schema)}
        return {"mode": "form", **params} if self._context.port.revision.url_elicitation else params

    def _url(self, message: str, url: str | None, schema: FormSchema, id: str | None) -> Json:
        if schema is not None:
            raise ValueError("a question in url mode has no form; leave the schema out.")
        if url is None or not url.startswith(("https://", "http://")):
            raise ValueError("a question in url mode needs an http or https address as url.")
        params: Json = {"mode": "url", "message": message, "url": url}
        if not self._context.port.revision.elicitation_ids:
            return params
        return {**params, "elicitationId": id or uuid4().hex}


def _id_of(visit: ElicitResult | UrlElicitation | str) -> str:
    if isinstance(visit, ElicitResult):
        return visit.elicitation_id
    return visit.id if isinstance(visit, UrlElicitation) else visit
