"""Accounts of people with services, for tools that act in their name: what a tool declares, and what it is given.

`accounts` has what `@tool(requires_auth=...)` takes, `providers` the services as a table, `broker` gets the tokens, and
`mock` stands in for every service while there is no network.
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
from server_core.auth.authorization import Authorization
from server_core.auth.requirement import AuthRequirement

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
