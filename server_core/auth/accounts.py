"""The accounts that a tool can require: a class for each known service, and `OAuth2` for others.

`@tool(requires_auth=GitHub(scopes=["repo"]))`
"""

from collections.abc import Iterable
from typing import ClassVar

from server_core.auth.requirement import AuthRequirement


class OAuth2(AuthRequirement):
    """An account with a service that is described in the project's settings.

    Args:
        id: the name of the service in the settings; for a known service, the name of the registration.
        scopes: what the tool needs, in the names of the service.
    """

    service: ClassVar[str] = ""

    def __init__(self, *, id: str | None = None, scopes: Iterable[str] | None = None) -> None:
        super().__init__(self.service, id, scopes or ())  # type: ignore[arg-type]  # It becomes a tuple.


class Airtable(OAuth2):
    """An account with Airtable."""

    service = "airtable"


class Asana(OAuth2):
    """An account with Asana."""

    service = "asana"


class Atlassian(OAuth2):
    """An account with Atlassian: Jira, Confluence."""

    service = "atlassian"


class Attio(OAuth2):
    """An account with Attio."""

    service = "attio"


class Calendly(OAuth2):
    """An account with Calendly."""

    service = "calendly"


class ClickUp(OAuth2):
    """An account with ClickUp."""

    service = "clickup"


class Discord(OAuth2):
    """An account with Discord."""

    service = "discord"


class Dropbox(OAuth2):
    """An account with Dropbox."""

    service = "dropbox"


class Figma(OAuth2):
    """An account with Figma."""

    service = "figma"


class GitHub(OAuth2):
    """An account with GitHub."""

    service = "github"


class Google(OAuth2):
    """An account with Google."""

    service = "google"


class Hubspot(OAuth2):
    """An account with HubSpot."""

    service = "hubspot"


class Linear(OAuth2):
    """An account with Linear."""

    service = "linear"


class LinkedIn(OAuth2):
    """An account with LinkedIn."""

    service = "linkedin"


class Microsoft(OAuth2):
    """An account with Microsoft, for Microsoft Graph."""

    service = "microsoft"


class MicrosoftPowerBI(Microsoft):
    """An account with Microsoft, for Power BI, whose tokens are not valid for Microsoft Graph."""

    service = "microsoft-powerbi"


class Notion(OAuth2):
    """An account with Notion."""

    service = "notion"


class PagerDuty(OAuth2):
    """An account with PagerDuty."""

    service = "pagerduty"


class Reddit(OAuth2):
    """An account with Reddit."""

    service = "reddit"


class Slack(OAuth2):
    """An account with Slack. The token is the user's, not a bot's."""

    service = "slack"


class Spotify(OAuth2):
    """An account with Spotify."""

    service = "spotify"


class Twitch(OAuth2):
    """An account with Twitch."""

    service = "twitch"


class X(OAuth2):
    """An account with X."""

    service = "x"


class Zoom(OAuth2):
    """An account with Zoom."""

    service = "zoom"
