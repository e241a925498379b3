"""Accounts of users with services, for tools that act on a user's behalf.

`accounts` has the values of `@tool(requires_auth=...)`, `providers` the table of services, `broker` gets the tokens,
and `mock` replaces every service during offline development.
"""

from server_core.auth.accounts import (
    Airtable,
    Asana,
    Atlassian,
    Attio,
    Calendly,
    ClickUp,
    Discord,
    Dropbox,
    Figma,
    GitHub,
    Google,
    Hubspot,
    Linear,
    LinkedIn,
    Microsoft,
    MicrosoftPowerBI,
    Notion,
    OAuth2,
    PagerDuty,
    Reddit,
    Slack,
    Spotify,
    Twitch,
    X,
    Zoom,
)
from server_core.auth.requirement import Authorization, AuthRequirement

ToolAuthorization = AuthRequirement

__all__ = [
    "Airtable",
    "Asana",
    "Atlassian",
    "Attio",
    "AuthRequirement",
    "Authorization",
    "Calendly",
    "ClickUp",
    "Discord",
    "Dropbox",
    "Figma",
    "GitHub",
    "Google",
    "Hubspot",
    "Linear",
    "LinkedIn",
    "Microsoft",
    "MicrosoftPowerBI",
    "Notion",
    "OAuth2",
    "PagerDuty",
    "Reddit",
    "Slack",
    "Spotify",
    "ToolAuthorization",
    "Twitch",
    "X",
    "Zoom",
]
