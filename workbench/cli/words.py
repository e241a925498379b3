"""The words of a command line, read before there is a parser: which command is meant, and what stands behind `--`.

Starting a terminal or a server must not wait for the import of the parser. So the plain forms of a few commands are
read here; whatever is not plain is left to the parser, which gives the same options the same meaning.
"""

from collections.abc import Sequence

COMMANDS = frozenset(
    {"open", "demo", "new", "serve", "list", "call", "secret", "replay", "ps", "attach", "captures"},
)
TARGETED = frozenset({"open", "serve", "list", "call", "replay"})
"""The commands that take `-- COMMAND ARGS...`."""

_PARSERS_OWN = frozenset({"--help", "-h", "--version", "--install-completion", "--show-completion"})

Options = dict[str, str | bool]


def split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words before the first `--`, with the command's name first, and those behind it.

    Without the name of a command, `open` is meant: `workbench PATH`, `workbench --url URL`, `workbench -- COMMAND`.
    """
    own = list(words)
    behind: list[str] = []
    if "--" in own:
        cut = own.index("--")
        own, behind = own[:cut], own[cut + 1 :]
    if not own or own[0] not in COMMANDS | _PARSERS_OWN:
        own.insert(0, "open")
    return own, behind


def read_plain(
    words: Sequence[str], *, flags: Sequence[str] = (), values: Sequence[str] = (), positional: str = ""
) -> Options | None:
    """Read options in their plain forms.

    Args:
        words: what stands behind the name of the command.
        flags: options without a value, as `--reload`.
        values: options with one, as `--host`; written `--host VALUE` or `--host=VALUE`.
        positional: the name for the one word that is no option; empty when there must be none.

    Returns:
        What was given, by name; None when something is not plain, and the parser has to look.
    """
    found: Options = {}
    rest = list(words)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if not name.startswith("-"):
            name, value = positional, name + equals + value
        elif name in values and not equals and rest and not rest[0].startswith("-"):
            value = rest.pop(0)
        elif name not in values or not equals:
            if name not in flags or equals:
                return None
            found[name] = True
            continue
        if not name or not value or name in found:
            return None
        found[name] = value
    return found
