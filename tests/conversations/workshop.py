"""A toolkit with tools for what only some revisions have."""

import asyncio
import json
import threading
from functools import cache

from server_core import Context, UrlElicitation, UrlElicitationRequired
from server_core.catalog.catalog import Catalog
from tests.server_core.toolkit import Toolkit

WEATHER = {"name": "weather", "description": "Forecast the weather.", "inputSchema": {"type": "object"}}


class Workshop(Toolkit):
    """The toolkit, and tools that ask in every way; all tests share an instance, since making it is slow."""

    def __init__(self) -> None:
        super().__init__()
        self._catalog: Catalog | None = None

        @self.app.tool
        async def sign_in(context: Context) -> str:
            """Send the user to a URL."""
            result = await context.ui.elicit("Please sign in.", mode="url", url="https://example.org/sign-in")
            return result.action

        @self.app.tool
        async def ask_twice(context: Context) -> str:
            """Ask, and ask again with what was answered."""
            form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
            first = await context.ui.elicit("Your first name?", form)
            last = await context.ui.elicit(f"And your last name, {(first.content or {})['name']}?", form)
            return f"{(first.content or {})['name']} {(last.content or {})['name']}"

        @self.app.tool
        async def ask_model_with_tools(context: Context) -> str:
            """Let the model call a tool."""
            answer = await context.sampling.create_message(
                "How is the weather?", tools=[WEATHER], tool_choice={"mode": "auto"}
            )
            return json.dumps([answer.stop_reason, [block["type"] for block in answer.content]])

        @self.app.tool
        async def pour(context: Context, drops: int) -> str:
            """Report every drop, and set an event for the test when that is done."""
            for drop in range(drops):
                await context.progress.report(drop + 1, drops, "drip " * 100)
            self.entered.set()
            return "poured"

        @self.app.tool
        async def bill(context: Context) -> str:
            """Require a URL elicitation, and notify at once that it is complete."""
            visit = UrlElicitation("Please pay.", "https://example.org/pay", "visit-1")
            await context.ui.complete(visit)
            raise UrlElicitationRequired([visit])

        @self.app.tool
        async def march(context: Context) -> str:
            """Report three steps, and wait after each."""
            try:
                for step in (1, 2, 3):
                    await context.progress.report(step, 3)
                    await self.steps.get()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise
            return "arrived"

        @self.app.tool
        def visit() -> str:
            """Require that the user has visited a URL."""
            raise UrlElicitationRequired([UrlElicitation("Sign in.", "https://example.org/sign-in")])

        @self.app.prompt
        def broken() -> str:
            """Fail."""
            raise KeyError("a secret of the author")

    def catalog(self) -> Catalog:
        """What the app offers."""
        self._catalog = self._catalog or super().catalog()
        return self._catalog

    def renew(self) -> None:
        """Close all gates."""
        self.steps: asyncio.Queue[None] = asyncio.Queue()
        self.entered, self.gate, self.cancelled = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.thread_entered, self.thread_saw_cancel = threading.Event(), threading.Event()


@cache
def workshop() -> Workshop:
    """Return the instance that all tests share."""
    return Workshop()
