"""Authorize a call of a tool that uses a user's account: get the token, or the consent that it needs first.

If the client supports URL elicitation, the user is sent to the consent page, and the call continues as soon as they
agree. Otherwise the call fails with the URL; the consent stays open, so that a later call can use it.

Specification: client/elicitation, URL mode.
"""

import asyncio
import hashlib
from typing import TYPE_CHECKING

from server_core.auth import account_errors
from server_core.auth.broker.account_grants import Owner
from server_core.auth.broker.consents import BrowserConsent
from server_core.auth.broker.registrations import NoClient
from server_core.auth.requirement import Authorization, AuthRequirement
from server_core.errors import ConfigurationError, ContextError, RemoteError, RequirementNotMet, WorkbenchError
from server_core.execution.requirements import is_unauthenticated_remote
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool
    from server_core.execution.context.context import Context

CONSENT_TIMEOUT = 300.0
"""Seconds that a call waits for the user's consent."""


async def authorize(tool: "Tool", requirement: AuthRequirement, context: "Context") -> Authorization:
    """Return the authorization for a tool, asking the user if necessary; RequirementNotMet explains what to do."""
    server = context.own_server
    if server is None or server.open_broker is None:
        raise account_errors.authorization_error(tool.name, "this server has no broker for accounts.")
    if is_unauthenticated_remote(context):
        raise account_errors.transport_error(tool.name)
    owner = owner_of(context)
    try:
        broker = server.open_broker()
        authorization = await broker.authorization(requirement, owner)
        if authorization is None:
            await _get_consent(tool, await broker.consent(requirement, owner), context)
            authorization = await broker.authorization(requirement, owner)
    except NoClient as error:
        raise account_errors.no_client_error(tool.name, error) from error
    except (AuthorizationFailed, ConfigurationError) as error:
        raise account_errors.authorization_error(tool.name, str(error)) from error
    if authorization is None:
        raise account_errors.authorization_error(tool.name, "The token that the service issued has already expired.")
    return authorization


async def report_refusal(tool: "Tool", requirement: AuthRequirement, context: "Context", status: int) -> None:
    """Notify the broker of the HTTP status with which a service refused a token; the next call gets another."""
    authorization, server = context.authorization, context.own_server
    if authorization is None or server is None or server.open_broker is None:
        return
    try:
        await server.open_broker().report_refusal(requirement, owner_of(context), authorization.token, status)
    except WorkbenchError as error:
        context.report("refusal_lost", {"tool": tool.name, "id": context.request_id, "message": str(error)})


def owner_of(context: "Context") -> Owner:
    """Return whose accounts a call uses: those of the authenticated caller, else of the user of this machine.

    `ARCADE_USER_ID` distinguishes several users of this machine. A session does not identify a user.
    """
    if principal := context.port.client.principal:
        return Owner(principal, is_authenticated=True)
    return Owner("" if context.own_server is None else context.own_server.settings.user_id)


async def _get_consent(tool: "Tool", consent: BrowserConsent, context: "Context") -> None:
    """Ask the user for consent, and return when they have given it."""
    if not context.ui.supports_urls:
        raise _consent_error(tool, consent)
    name = consent.registration.provider.name
    message = f"Tool {tool.name!r} needs your permission to use your account with {name}."
    elicitation = spawn(_elicit(context, message, consent.url), f"auth: ask for {consent.registration.account}")
    try:
        async with asyncio.timeout(CONSENT_TIMEOUT):
            # The consent may arrive before the client answers the elicitation.
            await asyncio.wait({elicitation, consent.grant}, return_when=asyncio.FIRST_COMPLETED)
            if not consent.grant.done() and (action := elicitation.result()) != "accept":
                raise (
                    account_errors.refusal_error(tool.name, name)
                    if action == "decline"
                    else _consent_error(tool, consent)
                )
            # Other calls may wait for the same consent, so a cancelled call must not cancel it.
            await asyncio.shield(consent.grant)
    except TimeoutError:
        raise _consent_error(tool, consent) from None
    except TokenRefused as error:
        if error.code != "access_denied":
            raise
        raise account_errors.refusal_error(tool.name, name) from error
    finally:
        elicitation.cancel()
        await asyncio.wait({elicitation})
        await context.ui.complete(_elicitation_id(consent.url))


async def _elicit(context: "Context", message: str, url: str) -> str:
    """Send the user to a URL and return their action; an error of the client counts as `cancel`."""
    elicitation_id = _elicitation_id(url)
    try:
        # A call that runs again from its start uses the same key for the same URL.
        key = f"authorize-{elicitation_id}"
        return (await context.ui.elicit(message, None, "url", url, elicitation_id, CONSENT_TIMEOUT, key=key)).action
    except (ContextError, RemoteError):
        return "cancel"


def _consent_error(tool: "Tool", consent: BrowserConsent) -> RequirementNotMet:
    return account_errors.consent_error(tool.name, consent.registration.provider.name, consent.url)


def _elicitation_id(url: str) -> str:
    """Return an id for the elicitation that does not reveal its URL."""
    return hashlib.sha256(url.encode("ascii")).hexdigest()[:16]
