"""`workbench replay --step`: ask before each request whether to send, change or skip it."""

from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from workbench.cli import console, output
from workbench.cli.call_arguments import parse_object
from workbench.cli.replay import print_outcome
from workbench.model.describe import json_line

if TYPE_CHECKING:
    from workbench.cli.line_prompts import Asker
    from workbench.replay.player import Player
    from workbench.replay.recording import RecordedExchange
    from workbench.replay.report import ReplayOutcome

_PROMPT = "[s]end, [e]dit, [x] skip, [R]un the rest or [q]uit?"
_WIDTH = 200


class ReplaySteps:
    """Asks a user at the terminal about each request, and shows what becomes of it."""

    def __init__(self, asker: "Asker") -> None:
        self._asker = asker
        self._runs_on = False

    async def steer(self, player: "Player") -> bool:
        """Ask what to do with the next request; return False if the user ends the replay."""
        exchange = player.next
        if exchange is None or self._runs_on:
            return True
        console.write(f"{exchange.title} {json_line(exchange.shown_params, _WIDTH)}")
        while True:
            match await self._asker.choose(_PROMPT, "sexrq"):
                case "e":
                    await self._edit(exchange)
                    continue
                case "x":
                    exchange.skip()
                case "r":
                    self._runs_on = True
                case "q" | "":
                    return False
            return True

    def show(self, outcome: "ReplayOutcome") -> None:
        from workbench.replay.recording import LeftOut

        if outcome.reason in [*LeftOut]:
            return
        if outcome.describe():
            print_outcome(outcome)
        else:
            output.print_text(f"{outcome.title} {outcome.status}")

    async def _edit(self, exchange: "RecordedExchange") -> None:
        text = await self._asker.line("params as a JSON object (empty: unchanged):")
        if not text.strip():
            return
        try:
            exchange.change(parse_object(text, "params"))
        except ConfigurationError as error:
            console.warn(str(error))
        else:
            console.write(f"{exchange.title} {json_line(exchange.shown_params, _WIDTH)}")
