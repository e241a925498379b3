"""The name of a tool as a person types it -> the names on the wire that it may stand for."""

from collections.abc import Iterable

from server_core.catalog.naming import pascal_case


def tools_named(typed: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the tools that a person may mean: one when it is clear, several when they have to say more.

    Args:
        typed: the name on the wire (`EchoServer_SayHello`), the qualified one (`EchoServer.SayHello`, perhaps with
            `@1.0.0`), or that of the function alone (`say_hello`), whatever toolkit it belongs to.
        names: the names on the wire that there are.
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
    """The name of a tool within its toolkit; empty where no toolkit stands before it."""
    toolkit, _, tool = name.partition("_")
    return tool if toolkit[:1].isupper() else ""
