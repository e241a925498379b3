"""The services that tools can have accounts with: a table with a row for each service.

The defaults of a row follow the standard: PKCE with S256, scopes separated by spaces, the client's id and secret in the
form of the token request, tokens sent as `Bearer`. A project's pyproject.toml may override any field, and add rows.

Source: RFC 6749, RFC 7636, RFC 8628, RFC 7009; for each row, the service's own documentation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

LOCALHOST = "localhost"


@dataclass(frozen=True, slots=True)
class Provider:
    """How a service implements OAuth. The names of the fields are also those in pyproject.toml.

    A URL is empty where the service has no such endpoint.
    """

    name: str
    authorize_url: str
    token_url: str
    refresh_url: str = ""  # Empty: the token endpoint.
    device_url: str = ""
    revoke_url: str = ""
    userinfo_url: str = ""
    register_url: str = ""  # The page on which developers register a client.
    pkce: bool = True  # Whether the service supports PKCE.
    scope_parameter: str = "scope"  # Of the authorization request.
    scope_separator: str = " "
    device_scope_parameter: str = "scope"  # Of the device authorization request.
    refresh_scopes: tuple[str, ...] = ()  # Additional scopes that make tokens renewable.
    client_in: Literal["form", "header"] = "form"  # Where the token request has the client's id and secret.
    body: Literal["form", "json"] = "form"  # The format of the token request.
    parameters: Mapping[str, str] = field(default_factory=dict)  # Additional parameters of the authorization request.
    token_within: str = ""  # The member of the token response that contains the members of the standard.
    # Where a revocation has the token: in its form or in its `Authorization` header.
    revoke_by: Literal["form", "token"] = "form"
    userinfo_method: Literal["GET", "POST"] = "GET"
    userinfo_headers: Mapping[str, str] = field(default_factory=dict)  # Additional headers.
    token_scheme: str = "Bearer"  # Of the `Authorization` header for requests to the service.
    redirect_host: str = "127.0.0.1"  # The loopback host name that the service accepts in redirect URIs.
    # Whether the service accepts any port there (RFC 8252 section 7.3), so that a free port can be used.
    any_port: bool = False


_MICROSOFT = "https://login.microsoftonline.com/common/oauth2/v2.0"
_ENTRA = "https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade"

PROVIDERS: Mapping[str, Provider] = {
    "airtable": Provider(
        "Airtable",
        "https://airtable.com/oauth2/v1/authorize",
        "https://airtable.com/oauth2/v1/token",
        userinfo_url="https://api.airtable.com/v0/meta/whoami",
        register_url="https://airtable.com/create/oauth",
        client_in="header",
        redirect_host=LOCALHOST,
    ),
    "asana": Provider(
        "Asana",
        "https://app.asana.com/-/oauth_authorize",
        "https://app.asana.com/-/oauth_token",
        revoke_url="https://app.asana.com/-/oauth_revoke",
        userinfo_url="https://app.asana.com/api/1.0/users/me",
        register_url="https://app.asana.com/0/my-apps",
    ),
    "atlassian": Provider(
        "Atlassian",
        "https://auth.atlassian.com/authorize",
        "https://auth.atlassian.com/oauth/token",
        userinfo_url="https://api.atlassian.com/me",
        register_url="https://developer.atlassian.com/console/myapps/",
        pkce=False,
        refresh_scopes=("offline_access",),
        body="json",
        parameters={"audience": "api.atlassian.com", "prompt": "consent"},
    ),
    "attio": Provider(
        "Attio",
        "https://app.attio.com/authorize",
        "https://app.attio.com/oauth/token",
        userinfo_url="https://api.attio.com/v2/self",
        register_url="https://build.attio.com",
        pkce=False,
    ),
    "calendly": Provider(
        "Calendly",
        "https://auth.calendly.com/oauth/authorize",
        "https://auth.calendly.com/oauth/token",
        revoke_url="https://auth.calendly.com/oauth/revoke",
        userinfo_url="https://api.calendly.com/users/me",
        register_url="https://developer.calendly.com/console/apps",
        redirect_host=LOCALHOST,
    ),
    "clickup": Provider(
        "ClickUp",
        "https://app.clickup.com/api",
        "https://api.clickup.com/api/v2/oauth/token",
        userinfo_url="https://api.clickup.com/api/v2/user",
        register_url="https://app.clickup.com/settings/apps",
        pkce=False,
    ),
    "discord": Provider(
        "Discord",
        "https://discord.com/oauth2/authorize",
        "https://discord.com/api/oauth2/token",
        revoke_url="https://discord.com/api/oauth2/token/revoke",
        userinfo_url="https://discord.com/api/users/@me",
        register_url="https://discord.com/developers/applications",
        client_in="header",
    ),
    "dropbox": Provider(
        "Dropbox",
        "https://www.dropbox.com/oauth2/authorize",
        "https://api.dropboxapi.com/oauth2/token",
        revoke_url="https://api.dropboxapi.com/2/auth/token/revoke",
        userinfo_url="https://api.dropboxapi.com/2/users/get_current_account",
        register_url="https://www.dropbox.com/developers/apps",
        parameters={"token_access_type": "offline"},
        revoke_by="token",
        userinfo_method="POST",
    ),
    "figma": Provider(
        "Figma",
        "https://www.figma.com/oauth",
        "https://api.figma.com/v1/oauth/token",
        refresh_url="https://api.figma.com/v1/oauth/refresh",
        userinfo_url="https://api.figma.com/v1/me",
        register_url="https://www.figma.com/developers/apps",
        pkce=False,
        scope_separator=",",
        client_in="header",
    ),
    "github": Provider(
        "GitHub",
        "https://github.com/login/oauth/authorize",
        "https://github.com/login/oauth/access_token",
        device_url="https://github.com/login/device/code",
        userinfo_url="https://api.github.com/user",
        register_url="https://github.com/settings/developers",
        any_port=True,
    ),
    "google": Provider(
        "Google",
        "https://accounts.google.com/o/oauth2/v2/auth",
        "https://oauth2.googleapis.com/token",
        device_url="https://oauth2.googleapis.com/device/code",
        revoke_url="https://oauth2.googleapis.com/revoke",
        userinfo_url="https://openidconnect.googleapis.com/v1/userinfo",
        register_url="https://console.cloud.google.com/apis/credentials",
        parameters={"access_type": "offline", "prompt": "consent", "include_granted_scopes": "true"},
        any_port=True,
    ),
    "hubspot": Provider(
        "HubSpot",
        "https://app.hubspot.com/oauth/authorize",
        "https://api.hubapi.com/oauth/2026-03/token",
        register_url="https://app.hubspot.com/developer",
        pkce=False,
        redirect_host=LOCALHOST,
    ),
    "linear": Provider(
        "Linear",
        "https://linear.app/oauth/authorize",
        "https://api.linear.app/oauth/token",
        revoke_url="https://api.linear.app/oauth/revoke",
        register_url="https://linear.app/settings/api/applications/new",
        scope_separator=",",
        parameters={"prompt": "consent"},
        redirect_host=LOCALHOST,
    ),
    "linkedin": Provider(
        "LinkedIn",
        "https://www.linkedin.com/oauth/v2/authorization",
        "https://www.linkedin.com/oauth/v2/accessToken",
        revoke_url="https://www.linkedin.com/oauth/v2/revoke",
        userinfo_url="https://api.linkedin.com/v2/userinfo",
        register_url="https://www.linkedin.com/developers/apps",
        pkce=False,
        redirect_host=LOCALHOST,
    ),
    "microsoft": Provider(
        "Microsoft",
        f"{_MICROSOFT}/authorize",
        f"{_MICROSOFT}/token",
        device_url=f"{_MICROSOFT}/devicecode",
        userinfo_url="https://graph.microsoft.com/v1.0/me",
        register_url=_ENTRA,
        refresh_scopes=("offline_access",),
        redirect_host=LOCALHOST,
        any_port=True,
    ),
    "microsoft-powerbi": Provider(
        "Microsoft Power BI",
        f"{_MICROSOFT}/authorize",
        f"{_MICROSOFT}/token",
        device_url=f"{_MICROSOFT}/devicecode",
        register_url=_ENTRA,
        refresh_scopes=("offline_access",),
        redirect_host=LOCALHOST,
        any_port=True,
    ),
    "notion": Provider(
        "Notion",
        "https://api.notion.com/v1/oauth/authorize",
        "https://api.notion.com/v1/oauth/token",
        revoke_url="https://api.notion.com/v1/oauth/revoke",
        userinfo_url="https://api.notion.com/v1/users/me",
        register_url="https://www.notion.so/profile/integrations",
        pkce=False,
        client_in="header",
        body="json",
        parameters={"owner": "user"},
        userinfo_headers={"Notion-Version": "2022-06-28"},
        redirect_host=LOCALHOST,
    ),
    "pagerduty": Provider(
        "PagerDuty",
        "https://app.pagerduty.com/oauth/authorize",
        "https://app.pagerduty.com/oauth/token",
        userinfo_url="https://api.pagerduty.com/users/me",
        register_url="https://support.pagerduty.com/main/docs/app-registration",
    ),
    "reddit": Provider(
        "Reddit",
        "https://www.reddit.com/api/v1/authorize",
        "https://www.reddit.com/api/v1/access_token",
        revoke_url="https://www.reddit.com/api/v1/revoke_token",
        userinfo_url="https://oauth.reddit.com/api/v1/me",
        register_url="https://www.reddit.com/prefs/apps",
        pkce=False,
        client_in="header",
        parameters={"duration": "permanent"},
    ),
    "slack": Provider(
        "Slack",
        "https://slack.com/oauth/v2/authorize",
        "https://slack.com/api/oauth.v2.access",
        revoke_url="https://slack.com/api/auth.revoke",
        userinfo_url="https://slack.com/api/auth.test",
        register_url="https://api.slack.com/apps",
        scope_parameter="user_scope",
        scope_separator=",",
        token_within="authed_user",
        revoke_by="token",
        redirect_host=LOCALHOST,
    ),
    "spotify": Provider(
        "Spotify",
        "https://accounts.spotify.com/authorize",
        "https://accounts.spotify.com/api/token",
        userinfo_url="https://api.spotify.com/v1/me",
        register_url="https://developer.spotify.com/dashboard",
        client_in="header",
    ),
    "twitch": Provider(
        "Twitch",
        "https://id.twitch.tv/oauth2/authorize",
        "https://id.twitch.tv/oauth2/token",
        device_url="https://id.twitch.tv/oauth2/device",
        revoke_url="https://id.twitch.tv/oauth2/revoke",
        userinfo_url="https://id.twitch.tv/oauth2/validate",
        register_url="https://dev.twitch.tv/console/apps",
        pkce=False,
        device_scope_parameter="scopes",
        token_scheme="OAuth",
        redirect_host=LOCALHOST,
    ),
    "x": Provider(
        "X",
        "https://x.com/i/oauth2/authorize",
        "https://api.x.com/2/oauth2/token",
        revoke_url="https://api.x.com/2/oauth2/revoke",
        userinfo_url="https://api.x.com/2/users/me",
        register_url="https://developer.x.com/en/portal/dashboard",
        refresh_scopes=("offline.access",),
        client_in="header",
    ),
    "zoom": Provider(
        "Zoom",
        "https://zoom.us/oauth/authorize",
        "https://zoom.us/oauth/token",
        device_url="https://zoom.us/oauth/devicecode",
        revoke_url="https://zoom.us/oauth/revoke",
        userinfo_url="https://api.zoom.us/v2/users/me",
        register_url="https://marketplace.zoom.us/develop/create",
        client_in="header",
    ),
}
"""Each known service by its `provider_id`."""
