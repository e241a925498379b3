"""Resolve the name of a tool as a user types it to names on the wire."""

from collections.abc import Iterable

from server_core.catalog.toolkit import pascal_case


def tools_named(typed: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the matching tools: one if the name is unambiguous, several if the user has to be more specific.

    Args:
        typed: the name on the wire (`EchoServer_SayHello`), the qualified one (`EchoServer.SayHello`, perhaps with
            `@1.0.0`), or the name of the function alone (`say_hello`), in any toolkit.
        names: the existing names on the wire.
    """
    known = tuple(names)
    if typed in known:
        return (typed,)
    qualified = typed.partition("@")[0].replace(".", "_")
    if qualified in known:
        return (qualified,)
    short = {typed.replace(".", "_"), pascal_case(typed).replace(".", "_")} - {""}
    return tuple(name for name in known if _short_name(name) in short)


def _short_name(name: str) -> str:
    """The name of a tool within its toolkit; empty if it has no toolkit."""
    toolkit, _, tool = name.partition("_")
    return tool if toolkit[:1].isupper() else ""
