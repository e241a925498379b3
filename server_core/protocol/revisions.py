"""The revisions of the protocol, and the differences between them, as data.

Code checks the features of a revision; it never compares dates.
"""

from typing import NamedTuple


class Revision(NamedTuple):
    """The features of one dated revision of the protocol."""

    # Its name on the wire.
    date: str
    # What is new in it, for people.
    summary: str
    # There is no handshake and no session: each request names its revision and the client's capabilities.
    stateless: bool = False
    # A message may be an array of messages.
    batches: bool = False
    # Content may be audio.
    audio: bool = False
    # Tools may have annotations.
    annotations: bool = False
    # Servers declare that they complete arguments.
    completions: bool = False
    # A progress notification may have a message.
    progress_messages: bool = False
    # Tools, resources, prompts and servers may have a title.
    titles: bool = False
    # Tools may have an output schema, and results structured content.
    structured_content: bool = False
    # Content may be a link to a resource.
    resource_links: bool = False
    # A completion request may include the other arguments.
    completion_context: bool = False
    # Servers may request input from the user.
    elicitation: bool = False
    # Elicitation has a URL mode besides the form mode.
    url_elicitation: bool = False
    # An elicitation in URL mode has an id, and a notification of its completion.
    elicitation_ids: bool = False
    # A sampling request may include tools.
    sampling_tools: bool = False
    # Servers, tools, resources and prompts may have icons; implementations a description and a website.
    icons: bool = False
    # A server may send an event id and close the stream, and the client reconnects for the rest.
    sse_polling: bool = False
    # A client may request that a request is run as a task.
    core_tasks: bool = False
    # Capabilities may list extensions.
    extensions: bool = False
    # Results of lists and resources have a time for which they may be cached.
    cache_hints: bool = False
    # Structured content may be any JSON value, not only an object.
    any_structured_content: bool = False


REVISION_2024_11_05 = Revision("2024-11-05", "HTTP+SSE; no titles, no structured results")
REVISION_2025_03_26 = Revision(
    "2025-03-26",
    "batches, audio, completions",
    batches=True,
    audio=True,
    annotations=True,
    completions=True,
    progress_messages=True,
)
REVISION_2025_06_18 = REVISION_2025_03_26._replace(
    date="2025-06-18",
    summary="elicitation, structured results",
    batches=False,
    titles=True,
    structured_content=True,
    resource_links=True,
    completion_context=True,
    elicitation=True,
)
REVISION_2025_11_25 = REVISION_2025_06_18._replace(
    date="2025-11-25",
    summary="URL elicitation, tasks",
    url_elicitation=True,
    elicitation_ids=True,
    sampling_tools=True,
    icons=True,
    sse_polling=True,
    core_tasks=True,
)
REVISION_2026_07_28 = REVISION_2025_11_25._replace(
    date="2026-07-28",
    summary="stateless: multi-round requests, tasks",
    stateless=True,
    elicitation_ids=False,
    sse_polling=False,
    core_tasks=False,
    extensions=True,
    cache_hints=True,
    any_structured_content=True,
)

REVISIONS = {
    revision.date: revision
    for revision in (
        REVISION_2024_11_05,
        REVISION_2025_03_26,
        REVISION_2025_06_18,
        REVISION_2025_11_25,
        REVISION_2026_07_28,
    )
}
HANDSHAKE_REVISIONS = {date: revision for date, revision in REVISIONS.items() if not revision.stateless}
"""The revisions that `initialize` negotiates."""
STATELESS_REVISIONS = {date: revision for date, revision in REVISIONS.items() if revision.stateless}
"""The revisions that each request names for itself."""
LATEST = REVISION_2025_11_25
"""The latest revision that `initialize` negotiates."""
LATEST_STATELESS = REVISION_2026_07_28
"""The latest revision without a handshake."""


def negotiate(requested: str) -> Revision:
    """Return the revision for a server's response to `initialize`: the requested, if possible, else :data:`LATEST`.

    The client disconnects if it does not support that. Source: basic/lifecycle, version negotiation.
    """
    return HANDSHAKE_REVISIONS.get(requested, LATEST)
