"""The revisions of the protocol, and what differs between them, as data.

Code asks a revision what it has; it never compares dates.
"""

from typing import NamedTuple


class Revision(NamedTuple):
    """What one dated revision of the protocol has.

    Attributes:
        date: its name on the wire.
        stateless: there is no handshake and no session: each request says its revision and what the client can.
        batches: a message may be an array of messages.
        audio: content may be sound.
        annotations: tools may carry annotations.
        completions: servers declare that they complete arguments.
        progress_messages: a progress report may carry a message.
        titles: tools, resources, prompts and servers may carry a title.
        structured_content: tools may have an output schema, and results structured content.
        resource_links: content may be a link to a resource.
        completion_context: a completion request may carry the other arguments.
        elicitation: servers may ask the person.
        url_elicitation: elicitation has a URL mode besides the form.
        elicitation_ids: a question in URL mode has an id, and its completion is told.
        sampling_tools: a sampling request may carry tools.
        icons: servers, tools, resources and prompts may carry icons; implementations a description and a website.
        sse_polling: a server may prime a stream and close it, and the client comes back for the rest.
        core_tasks: a request may be run as a task that the client asks for.
        extensions: capabilities may list extensions.
        cache_hints: lists and resources tell how long they hold.
        any_structured_content: structured content may be any JSON value, not objects alone.
    """

    date: str
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


REVISION_2024_11_05 = Revision("2024-11-05")
REVISION_2025_03_26 = Revision(
    "2025-03-26", batches=True, audio=True, annotations=True, completions=True, progress_messages=True
)
REVISION_2025_06_18 = REVISION_2025_03_26._replace(
    date="2025-06-18",
    batches=False,
    titles=True,
    structured_content=True,
    resource_links=True,
    completion_context=True,
    elicitation=True,
)
REVISION_2025_11_25 = REVISION_2025_06_18._replace(
    date="2025-11-25",
    url_elicitation=True,
    elicitation_ids=True,
    sampling_tools=True,
    icons=True,
    sse_polling=True,
    core_tasks=True,
)
REVISION_2026_07_28 = REVISION_2025_11_25._replace(
    date="2026-07-28",
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
HANDSHAKE = {date: revision for date, revision in REVISIONS.items() if not revision.stateless}
"""Those that `initialize` agrees on."""
STATELESS = {date: revision for date, revision in REVISIONS.items() if revision.stateless}
"""Those that each request names for itself."""
LATEST = REVISION_2025_11_25
"""The latest that `initialize` agrees on."""
LATEST_STATELESS = REVISION_2026_07_28


def negotiate(requested: str) -> Revision:
    """Return the revision that a server answers to `initialize`.

    Args:
        requested: the revision that the client asks for.

    Returns:
        The same revision where `initialize` can agree on it, else the latest such; the client disconnects if it
        cannot accept that. A stateless revision is never agreed on.

    Source: basic/lifecycle, version negotiation.
    """
    return HANDSHAKE.get(requested, LATEST)
