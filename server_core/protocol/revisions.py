"""The revisions of the protocol, and what differs between them, as data.

Code asks a revision what it has; it never compares dates.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Revision:
    """What one dated revision of the protocol has.

    Attributes:
        date: its name on the wire.
        url_elicitation: elicitation has a URL mode besides the form.
        sampling_tools: a sampling request may carry tools.
        icons: servers, tools, resources and prompts may carry icons; implementations a description and a website.
        input_errors_are_results: arguments that do not fit answer as a result with `isError`, not as -32602.
        sse_polling: a server may prime a stream and close it, and the client comes back for the rest.
    """

    date: str
    url_elicitation: bool
    sampling_tools: bool
    icons: bool
    input_errors_are_results: bool
    sse_polling: bool


REVISION_2025_06_18 = Revision(
    "2025-06-18",
    url_elicitation=False,
    sampling_tools=False,
    icons=False,
    input_errors_are_results=True,
    sse_polling=False,
)
REVISION_2025_11_25 = Revision(
    "2025-11-25",
    url_elicitation=True,
    sampling_tools=True,
    icons=True,
    input_errors_are_results=True,
    sse_polling=True,
)

REVISIONS = {revision.date: revision for revision in (REVISION_2025_06_18, REVISION_2025_11_25)}
LATEST = REVISION_2025_11_25
# What an HTTP request without MCP-Protocol-Version means to a server that knows no session for it.
ASSUMED_OVER_HTTP = "2025-03-26"


def negotiate(requested: str) -> Revision:
    """Return the revision that a server answers to `initialize`.

    Args:
        requested: the revision that the client asks for.

    Returns:
        The same revision where we have it, else our latest; the client disconnects if it cannot accept that.

    Source: basic/lifecycle, version negotiation.
    """
    return REVISIONS.get(requested, LATEST)
