"""`context.ui`: ask the user to fill in a form, or to visit a URL.

A mode that the client did not declare raises an error before anything is sent.

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
from server_core.execution.context.call import Namespace
from server_core.execution.context.elicitation_forms import FormSchema, Json, answer_value, form_for_revision, form_of

Action: TypeAlias = Literal["accept", "decline", "cancel"]
Mode: TypeAlias = Literal["form", "url"]


@dataclass(frozen=True)
class ElicitResult:
    """The result of an elicitation.

    Attributes:
        action: whether the user answered, refused, or dismissed the elicitation.
        content: the values of the form; None unless the user accepted a form.
        value: the content as an instance of the requested model or type.
        elicitation_id: the id of a URL elicitation, where the revision has such ids; else empty.
    """

    action: Action
    content: Json | None = None
    value: Any = None
    elicitation_id: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the user answered."""
        return self.action == "accept"


class Ui(Namespace):
    """`context.ui`: ask the user."""

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
        """Ask the user to fill in a form, or to visit a URL.

        Args:
            message: the text to show to the user.
            schema: the form: a flat JSON Schema object, a pydantic model of plain fields, or the type of one answer.
            mode: `url` sends the user to a URL instead (for data that must not pass through the client).
            url: the URL.
            elicitation_id: the id of the URL elicitation, for :meth:`complete`; generated when not given.
            timeout: seconds to wait for the user.
            key: a name for the request, for `context.client.cancel`. Where requests to the client are part of a
                result, the client gets it, and it is generated when not given.

        Returns:
            The user's action and answer.

        Raises:
            ElicitationNotSupportedError: when the client does not support elicitation.
            ElicitationModeNotSupportedError: when the client does not support this mode.
            ContextError: when the response does not arrive in time or does not match the model.
            RemoteError: when the client responds with an error.
            ValueError: when the form has a field that clients cannot show, or `url` does not go with `mode`.
        """
        is_url = mode == "url"
        params = (
            self._url_params(message, url, schema, elicitation_id)
            if is_url
            else self._form_params(message, schema, mode, url)
        )
        self._check_mode("url" if is_url else "form")
        if not is_url:
            params["requestedSchema"] = form_for_revision(self._context.port.client.revision, params["requestedSchema"])
        result = await self._context.request("elicitation/create", params, timeout, key)
        action = result.get("action")
        if action not in ("accept", "decline", "cancel"):
            raise ContextError(f"The client responded to the elicitation with the unknown action {action!r}.")
        if action != "accept" or is_url:
            return ElicitResult(action, elicitation_id=params.get("elicitationId", ""))
        content = result.get("content") or {}
        if not isinstance(content, dict):
            raise ContextError("The client's response does not match the form: it is not an object.")
        return ElicitResult(action, content, answer_value(schema, content))

    async def complete(self, visit: ElicitResult | UrlElicitation | str) -> None:
        """Notify the client that a URL elicitation is complete.

        This also works when the call has ended. Does nothing if the client's revision does not have this
        notification.

        Args:
            visit: the result of :meth:`elicit` in url mode, the required elicitation, or its id.

        Source: 2025-11-25, client/elicitation, completion notifications for URL mode elicitation.
        """
        elicitation_id = _id_of(visit)
        port = self._context.port
        if not elicitation_id or not port.client.revision.elicitation_ids:
            return
        # The stream of a call that has ended is closed.
        related = None if self._context.has_ended else self._context.request_id
        port.notify("notifications/elicitation/complete", {"elicitationId": elicitation_id}, related=related)

    async def elicit_urls(self, required: UrlElicitationRequired) -> None:
        """Ask the user to visit the URLs that an exception of the author requires.

        Raises:
            UrlElicitationRequired: when the client gets it as an error, and repeats the request afterwards.
            ContextError: when the client does not support URLs, or the user does not agree.
        """
        port = self._context.port
        if not self.supports_urls:
            raise ContextError(str(required)) from required
        if not port.client.revision.stateless:
            raise required
        # All at once: in the stateless era they are the input requests of one result.
        results = await asyncio.gather(
            *(self.elicit(visit.message, mode="url", url=visit.url) for visit in required.elicitations)
        )
        if not all(result.accepted for result in results):
            raise ContextError(f"The user did not agree. {required}") from required

    @property
    def supports_urls(self) -> bool:
        """Whether the client can send the user to a URL."""
        return "url" in self._modes

    @property
    def _modes(self) -> set[str]:
        """The elicitation modes that the client supports."""
        port = self._context.port
        declared = port.client.capabilities.get("elicitation")
        if not isinstance(declared, dict) or not port.client.revision.elicitation:
            return set()
        # An empty capability means forms alone (client/elicitation, capabilities).
        modes = set(declared) & {"form", "url"} or {"form"}
        return modes if port.client.revision.url_elicitation else {"form"}

    def _check_mode(self, mode: Mode) -> None:
        modes = self._modes
        if not modes:
            reason = "This client cannot ask the user: it did not declare the elicitation capability."
            raise ElicitationNotSupportedError(reason, {"elicitation": {mode: {}} if mode == "url" else {}})
        if mode not in modes:
            reason = f"This client cannot ask in {mode} mode: it declared only {' and '.join(sorted(modes))}."
            raise ElicitationModeNotSupportedError(reason, {"elicitation": {mode: {}}})

    def _form_params(self, message: str, schema: FormSchema, mode: str | None, url: str | None) -> Json:
        if mode not in ("form", None):
            raise ValueError(f"unknown mode {mode!r}; the mode of an elicitation is 'form' or 'url'.")
        if url is not None:
            raise ValueError("an elicitation in form mode has no URL; use mode='url', or omit the url.")
        params: Json = {"message": message, "requestedSchema": form_of(schema)}
        return {"mode": "form", **params} if self._context.port.client.revision.url_elicitation else params

    def _url_params(self, message: str, url: str | None, schema: FormSchema, elicitation_id: str | None) -> Json:
        if schema is not None:
            raise ValueError("an elicitation in url mode has no form; omit the schema.")
        if url is None or not url.startswith(("https://", "http://")):
            raise ValueError("an elicitation in url mode needs an http or https URL as url.")
        params: Json = {"mode": "url", "message": message, "url": url}
        if not self._context.port.client.revision.elicitation_ids:
            return params
        return {**params, "elicitationId": elicitation_id or uuid4().hex}


def _id_of(visit: ElicitResult | UrlElicitation | str) -> str:
    if isinstance(visit, ElicitResult):
        return visit.elicitation_id
    return visit.id if isinstance(visit, UrlElicitation) else visit
