"""The revisions of the protocol, and the differences between them, as data.

Code checks the features of a revision; it never compares dates.
"""

from typing import NamedTuple


class Revision(NamedTuple):
    """The features of one dated revision of the protocol.

    Attributes:
        date: its name on the wire.
        summary: what is new in it, for people.
        stateless: there is no handshake and no session: each request names its revision and the client's capabilities.
        batches: a message may be an array of messages.
        audio: content may be audio.
        annotations: tools may have annotations.
        completions: servers declare that they complete arguments.
        progress_messages: a progress notification may have a message.
        titles: tools, resources, prompts and servers may have a title.
        structured_content: tools may have an output schema, and results structured content.
        resource_links: content may be a link to a resource.
        completion_context: a completion request may include the other arguments.
        elicitation: servers may ask the user.
        url_elicitation: elicitation has a URL mode besides the form mode.
        elicitation_ids: an elicitation in URL mode has an id, and a notification of its completion.
        sampling_tools: a sampling request may include tools.
        icons: servers, tools, resources and prompts may have icons; implementations a description and a website.
        sse_polling: a server may prime a stream and close it, and the client reconnects for the rest.
        core_tasks: a client may ask for a request to be run as a task.
        extensions: capabilities may list extensions.
        cache_hints: results of lists and resources have a time for which they may be cached.
        any_structured_content: structured content may be any JSON value, not only an object.
    """

    date: str
    summary: str
    stateless: bool = False
    batches: bool = False
    audio: bool = False
    annotations: bool = False
    completions: bool = False
    progress_messages: bool = False
    titles: bool = False
    structured_content: bool = False
    resource_links: bool = False
    completion_context: bool = False
    elicitation: bool = False
    url_elicitation: bool = False
    elicitation_ids: bool = False
    sampling_tools: bool = False
    icons: bool = False
    sse_polling: bool = False
    core_tasks: bool = False
    extensions: bool = False
    cache_hints: bool = False
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
    """Return the revision for a server's response to `initialize`.

    Args:
        requested: the revision that the client asks for.

    Returns:
        The requested revision if `initialize` can negotiate it, else :data:`LATEST`; the client disconnects if it
        does not support that. A stateless revision is never negotiated.

    Source: basic/lifecycle, version negotiation.
    """
    return HANDSHAKE_REVISIONS.get(requested, LATEST)
