"""Serving HTTP in addition, and its end: what is asked before, and what happens then."""

from typing import TYPE_CHECKING

from workbench.tui.screens.dialogs import Choice, ChoiceScreen, PromptScreen

if TYPE_CHECKING:
    from workbench.tui.pane import Pane

_TOPIC = "http"


async def start_http(pane: "Pane") -> None:
    """Ask for the port, and have the core serve HTTP there."""
    from workbench.workspace.http_ports import proposed_port

    core = pane.workspace.core
    port = await pane.app.push_screen_wait(port_screen(proposed_port()))
    if port is not None and await pane.attempt(core.serve_http(int(port))):
        pane.notify(f"Serving HTTP at {core.info['http_url']}", title=_TOPIC, markup=False)


async def stop_http(pane: "Pane") -> None:
    """Ask whether the core closes its HTTP port, and have it do so."""
    core = pane.workspace.core
    url = str(core.info["http_url"])
    choice = await pane.app.push_screen_wait(stop_screen(url))
    if choice == "stop" and await pane.attempt(core.stop_http()):
        pane.notify(f"The core does not serve HTTP at {url} any more.", title=_TOPIC, markup=False)


def port_screen(port: int) -> PromptScreen:
    return PromptScreen(
        "Serve HTTP",
        f"The core opens http://127.0.0.1:{port or 'PORT'}/mcp, where programs on this machine can call the tools.\n"
        "Change the port, or enter 0 for any free one:",
        value=str(port),
        problem=_port_problem,
    )


def stop_screen(url: str) -> ChoiceScreen:
    return ChoiceScreen(
        "Stop HTTP",
        f"The core serves HTTP at {url}.",
        (
            Choice("keep", "k", "Keep serving"),
            Choice("stop", "s", "Stop serving HTTP", "running calls over HTTP get a moment, then their sessions end"),
        ),
    )


def _port_problem(text: str) -> str | None:
    is_port = text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65_535
    return None if is_port else "Enter a number from 0 to 65535, or press Esc."
