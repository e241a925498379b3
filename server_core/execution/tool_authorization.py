"""A call of a tool that acts in a person's account: its token, or what the person has to do first.

Where the client can send the person to an address, it does, and the call goes on by itself once they have agreed there.
Everybody else is told the address, and calls again; what the person was asked stays open for that.

Specification: client/elicitation, URL mode.
"""

import asyncio
import hashlib
from typing import TYPE_CHECKING

from server_core.auth import messages
from server_core.auth.authorization import Authorization
from server_core.auth.broker.broker import NoClient
from server_core.auth.broker.consents import Consent
from server_core.auth.broker.grants import Owner
from server_core.auth.requirement import AuthRequirement
from server_core.errors import ConfigurationError, ContextError, RemoteError, RequirementNotMet, WorkbenchError
from server_core.execution.caller_trust import is_unauthenticated_remote
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool
    from server_core.execution.context.context import Context

CONSENT_TIMEOUT = 300.0
"""How many seconds a call waits for a person who was sent to an address."""


async def authorize(tool: "Tool", requirement: AuthRequirement, context: "Context") -> Authorization:
    """Return what a tool may act with, asking the person where that is needed.

    Args:
        tool: what is called.
        requirement: what it declares.
        context: the call.

    Raises:
        RequirementNotMet: when it cannot be had now; it says why, and what to do.
    """
    home = context.home
    if home is None or home.open_broker is None:
        raise messages.failed(tool.name, "this server has no broker for accounts.")
    if is_unauthenticated_remote(context):
        raise messages.unsupported_transport(tool.name)
    owner = owner_of(context)
    try:
        broker = home.open_broker()
        found = await broker.authorization(requirement, owner)
        if found is None:
            await _consented(tool, await broker.consent(requirement, owner), context)
            found = await broker.authorization(requirement, owner)
    except NoClient as error:
        raise messages.no_client(tool.name, error) from error
    except (AuthorizationFailed, ConfigurationError) as error:
        raise messages.failed(tool.name, str(error)) from error
    if found is None:
        raise messages.failed(tool.name, "What the service gave has ended already.")
    return found


async def note_refusal(tool: "Tool", requirement: AuthRequirement, context: "Context", status: int) -> None:
    """Take note that the service has refused a call what it was given for it, so that the next one is given better.

    Args:
        tool: what was called.
        requirement: what it declares.
        context: the call.
        status: the HTTP status that the service answered.
    """
    given, home = context.authorization, context.home
    if given is None or home is None or home.open_broker is None:
        return
    try:
        await home.open_broker().refused(requirement, owner_of(context), given.token, status)
    except WorkbenchError as error:
        context.report("refusal_lost", {"tool": tool.name, "id": context.request_id, "message": str(error)})


def owner_of(context: "Context") -> Owner:
    """Return whose accounts a call uses: of who has proved to call, else of the one user of this machine.

    That one has several names where `ARCADE_USER_ID` gives them; a session is nobody.
    """
    if principal := context.port.principal:
        return Owner(principal, is_proved=True)
    return Owner("" if context.home is None else context.home.settings.user_id)


async def _consented(tool: "Tool", consent: Consent, context: "Context") -> None:
    """Have the person agree, and return when they have."""
    if not context.ui.shows_addresses:
        raise _needed(tool, consent)
    name = consent.registration.provider.name
    message = f"Tool {tool.name!r} needs your permission to use your account with {name}."
    asking = spawn(_ask(context, message, consent.url), f"auth: ask for {consent.registration.account}")
    try:
        async with asyncio.timeout(CONSENT_TIMEOUT):
            # The person may be back before the client says that they went.
            await asyncio.wait({asking, consent.given}, return_when=asyncio.FIRST_COMPLETED)
            if not consent.given.done() and asking.result() != "accept":
                raise messages.declined(tool.name, name) if asking.result() == "decline" else _needed(tool, consent)
            await asyncio.shield(consent.given)
    except TimeoutError:
        raise _needed(tool, consent) from None
    except TokenRefused as error:
        if error.code != "access_denied":
            raise
        raise messages.declined(tool.name, name) from error
    finally:
        asking.cancel()
        await asyncio.wait({asking})
        await context.ui.complete(_id_of(consent.url))


async def _ask(context: "Context", message: str, url: str) -> str:
    """Send the person to an address, and return what they made of that; a client that cannot say is one that closed."""
    id = _id_of(url)
    try:
        # A call that runs again from its start asks by the same name what it has asked, and by another what is new.
        return (await context.ui.elicit(message, None, "url", url, id, CONSENT_TIMEOUT, key=f"authorize-{id}")).action
    except (ContextError, RemoteError):
        return "cancel"


def _needed(tool: "Tool", consent: Consent) -> RequirementNotMet:
    return messages.consent_needed(tool.name, consent.registration.provider.name, consent.url)


def _id_of(url: str) -> str:
    """A name for a question that tells nothing of its address."""
    return hashlib.sha256(url.encode("ascii")).hexdigest()[:16]
