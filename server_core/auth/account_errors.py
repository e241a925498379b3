"""The errors of calls that cannot use a user's account yet, with messages for users and for models."""

from typing import TYPE_CHECKING

from server_core.errors import RequirementNotMet

if TYPE_CHECKING:
    from server_core.auth.broker.registrations import NoClient

MISSING_CLIENT = "✗ Missing client"
"""The first words of the error of a call whose service has no OAuth client."""


def consent_error(tool: str, service: str, url: str) -> RequirementNotMet:
    return RequirementNotMet(
        "⚠ Authorization required\n\n"
        f"  Tool '{tool}' needs your permission to access your account with {service}.\n\n"
        "  To authorize:\n"
        f"  1. Click this link: {url}\n"
        "  2. Grant the requested permissions\n"
        "  3. Return here and try again\n\n"
        "  This is a one-time setup for this tool.",
        f"Please show the following link to the end user formatted as markdown: {url} \n"
        "Inform the end user that the tool requires their authorization to be completed before the tool can be"
        " executed. Once they say that they have done so, call the tool again.",
        authorization_url=url,
    )


def refusal_error(tool: str, service: str) -> RequirementNotMet:
    return RequirementNotMet(
        "✗ Authorization declined\n\n"
        f"  Tool '{tool}' was not run: it needs your account with {service}, and you declined.",
        f"The end user did not allow the tool '{tool}' to use their account with {service}."
        " Do not call it again unless they ask for it.",
    )


def no_client_error(tool: str, error: "NoClient") -> RequirementNotMet:
    registration, names = error.registration, error.names
    provider = registration.provider
    place = f" at {provider.register_url}" if provider.register_url else ""
    return RequirementNotMet(
        f"{MISSING_CLIENT} for {provider.name}\n\n"
        f"  Tool '{tool}' requires authorization, but no client of {provider.name} is configured.\n\n"
        "  To fix:\n"
        f"  1. Register an OAuth app{place}\n"
        f"     with the redirect URI {registration.redirect_uri}\n"
        f"  2. Set its id and secret:     workbench secret set {names.client_id}\n"
        f"                                workbench secret set {names.client_secret}\n"
        f"     or a token of your own:    workbench secret set {names.token}\n\n"
        "  To develop without any of that, set WORKBENCH_AUTH=mock.",
        f"The MCP server cannot execute the '{tool}' tool because no OAuth client of {provider.name} is"
        f" configured. The developer needs to: 1) register an OAuth app{place} with the redirect URI"
        f" {registration.redirect_uri}, and 2) set the secrets {names.client_id} and {names.client_secret}, or a token"
        f" as {names.token}. The server need not be restarted.",
    )


def authorization_error(tool: str, reason: str) -> RequirementNotMet:
    return RequirementNotMet(
        f"✗ Authorization error\n\n  Tool '{tool}' failed to authorize.\n\n  Error: {reason}\n\n"
        "  To fix:\n"
        "  1. Check the client's id and secret, and its redirect URI\n"
        "  2. Check the state of the account: workbench auth list\n"
        "  3. Try again",
        f"The '{tool}' tool failed authorization. Error: {reason} The developer should check the OAuth client and"
        " run `workbench auth list`.",
    )


def transport_error(tool: str) -> RequirementNotMet:
    """Return the error of a call over HTTP from another machine by an unauthenticated caller."""
    return RequirementNotMet(
        "✗ Unsupported transport\n\n"
        f"  Tool '{tool}' cannot run over HTTP for callers who have not proved who they are.\n"
        "  This tool requires authorization.\n\n"
        "  To fix:\n"
        "  1. Use stdio, or HTTP from this machine\n"
        "  2. Or authenticate callers in front of the server: then each has accounts of their own",
        f"The '{tool}' tool acts in a person's account, and this server cannot determine whose. Inform the end user"
        " that the server must be used over stdio or from its own machine, or must authenticate its callers.",
    )
