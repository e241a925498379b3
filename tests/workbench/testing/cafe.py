"""An app of a small café, whose tools do what a client in a test has to cope with."""

import asyncio
import time

from pydantic import BaseModel

from server_core import Context, MCPApp
from server_core.auth import GitHub
from server_core.errors import RetryableToolError

SECRET = "s3cret-key-of-the-test"


class Order(BaseModel):
    """What is ordered."""

    dish: str
    count: int = 1


class Milk(BaseModel):
    """The form that a guest fills in."""

    oat: bool = False


def new_cafe() -> MCPApp:
    """Return a new app."""
    app = MCPApp("cafe", "1.0.0", instructions="Be kind.", toolkit="")

    @app.tool
    def greet(name: str) -> str:
        """Greet a guest."""
        return f"Hello, {name}!"

    @app.tool
    def take(order: Order) -> Order:
        """Take an order."""
        return order

    @app.tool
    def order_cake() -> str:
        """Order what is sold out."""
        raise RetryableToolError(
            "There is no cake left.", developer_message="stock: 0", additional_prompt_content="Offer soup."
        )

    @app.tool
    def stumble() -> str:
        """Fail without meaning to."""
        return str(1 / 0)

    @app.tool(requires_secrets=["KITCHEN_KEY"])
    def show_key(context: Context) -> str:
        """Return a secret."""
        return context.get_secret("KITCHEN_KEY")

    @app.tool(requires_secrets=["KITCHEN_KEY"])
    def shout_key(context: Context) -> str:
        """Fail with a secret, and with text that a terminal would interpret."""
        raise RuntimeError(f"\x1b[2Jthe key is {context.get_secret('KITCHEN_KEY')}")

    @app.tool(requires_metadata=["user_email"])
    def show_caller(context: Context) -> str:
        """Return the caller."""
        return context.get_metadata("user_email")

    @app.tool(requires_auth=GitHub(scopes=["repo"]))
    def show_account(context: Context) -> str:
        """Act in an account."""
        assert context.authorization is not None
        return f"{len(context.authorization.token)} letters"

    @app.tool
    async def milk(context: Context) -> str:
        """Ask the guest."""
        answer = await context.ui.elicit("Which milk?", Milk)
        return f"{answer.action} {answer.value.oat}" if answer.accepted else answer.action

    @app.tool
    async def count_guests(context: Context) -> str:
        """Ask for one value."""
        return str((await context.ui.elicit("How many?", int)).value)

    @app.tool
    async def name_dish(context: Context) -> str:
        """Ask the model."""
        return (await context.sampling.create_message("Name a soup.", system_prompt="You cook.")).text

    @app.tool
    async def folders(context: Context) -> str:
        """Ask for the folders."""
        return ", ".join(root["uri"] for root in await context.roots.list())

    @app.tool
    async def brew(context: Context, cups: int) -> str:
        """Report progress and log."""
        for cup in range(1, cups + 1):
            await context.progress.report(cup, total=cups, message=f"Cup {cup}")
        await context.log.warning("the tin is empty")
        await context.log.info("brewed")
        return "Done."

    @app.tool
    async def wait() -> str:
        """Wait for ever."""
        await asyncio.Event().wait()
        return "never"

    @app.tool
    async def block(seconds: float) -> str:
        """Hold up the event loop."""
        time.sleep(seconds)
        return "late"

    @app.tool
    def grow() -> str:
        """Offer one more tool."""

        def another() -> str:
            """Be new."""
            return "new"

        app.add_tool(another)
        return "grown"

    @app.resource("cafe://menu", mime_type="text/markdown")
    def menu() -> str:
        """The menu."""
        return "# Menu"

    @app.resource("cafe://dishes/{dish}", mime_type="application/json")
    def dish(dish: str) -> dict[str, str]:
        """One dish."""
        return {"dish": dish}

    @app.resource("cafe://broken", mime_type="text/plain")
    def broken() -> str:
        """Cannot be read."""
        raise KeyError("the cook has left")

    @app.prompt(completions={"guest": lambda typed: [item for item in ("Ada", "Alan") if item.startswith(typed)]})
    def invitation(guest: str) -> str:
        """Invite a guest."""
        return f"Invite {guest}."

    return app
