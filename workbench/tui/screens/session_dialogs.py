"""The dialogs about the terminal's own session: its protocol revision and its log level."""

from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import REVISIONS, Revision
from workbench.tui.screens.dialogs import Choice, ChoiceScreen

NEWEST = "newest"
"""The choice of the newest revision that the server supports."""


def revision_screen(spoken: Revision, *, is_relay: bool) -> ChoiceScreen:
    """Return the dialog that asks for a revision: its date, "newest", or None to change nothing.

    Args:
        spoken: the current revision.
        is_relay: whether the server is relayed, and may not support all revisions.
    """
    choices = [
        Choice(date, str(key), _chosen(date, spoken.date), revision.summary)
        for key, (date, revision) in enumerate(REVISIONS.items(), start=1)
    ]
    if is_relay:
        choices.append(Choice(NEWEST, "a", "The newest", "the newest revision of the server"))
    return ChoiceScreen(
        "Switch protocol revision",
        "Your calls use a new session in this protocol revision. Other clients are not affected.",
        tuple(choices),
    )


def log_level_screen(wanted: str) -> ChoiceScreen:
    """Return the dialog that asks for the log level: its name, or None to change nothing.

    Args:
        wanted: the current level.
    """
    choices = (Choice(level, str(key), _chosen(level, wanted)) for key, level in enumerate(LOG_LEVELS, start=1))
    return ChoiceScreen(
        "Log messages",
        "The minimum level of the log messages that the server sends here; the inspector shows them.",
        tuple(choices),
    )


def _chosen(name: str, current: str) -> str:
    return f"{name} ← now" if name == current else name
