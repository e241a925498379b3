"""The device flow: a user consents on another device, where they enter a short code.

Source: RFC 8628.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from server_core.auth.broker.registrations import Registration
from server_core.auth.broker.service import Service
from server_core.oauth.errors import AuthorizationFailed, TokenRefused, explain_error, short_line
from server_core.oauth.registration import is_credential
from server_core.oauth.tokens import TokenResponse
from server_core.oauth.urls import check_url

DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
DEFAULT_INTERVAL = 5.0
"""Seconds between two polls, if the service names none; also by how much `slow_down` lengthens them (section 3.5)."""
LONGEST_INTERVAL = 60.0
LONGEST_WAIT = 1800.0

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class DeviceConsent:
    """What a user has to do: open a URL, and enter a code there."""

    url: str
    user_code: str
    seconds: float  # How long the code is valid.
    interval: float  # Seconds between polls.
    device_code: str = field(repr=False)  # For polling.


async def begin(registration: Registration, service: Service, scopes: tuple[str, ...]) -> DeviceConsent:
    """Request a code that a user can enter on another device. Source: RFC 8628 sections 3.1 and 3.2."""
    provider = registration.provider
    if not provider.device_url:
        raise AuthorizationFailed(f"{provider.name} has no device flow; omit --device.")
    form = {"client_id": registration.client_id}
    if scopes:
        form[provider.device_scope_parameter] = provider.scope_separator.join(scopes)
    response = await service.post(provider.device_url, f"The device endpoint of {provider.name}", form)
    document = response.document if isinstance(response.document, dict) else {}
    if response.status != 200:
        reason = explain_error(document) or response.status
        raise TokenRefused(f"{provider.name} did not start a device flow ({reason}).", "")
    code, user_code = document.get("device_code"), document.get("user_code")
    if not is_credential(code) or not is_credential(user_code) or len(user_code) > 64:
        raise AuthorizationFailed(f"{provider.name} returned an invalid response instead of a device code.")
    # Google, and early drafts, name it verification_url.
    unchecked = document.get("verification_uri") or document.get("verification_url")
    url = check_url(unchecked, f"The verification URL of {provider.name}", provider.authorize_url)
    seconds = _seconds(document.get("expires_in"), LONGEST_WAIT)
    interval = _seconds(document.get("interval"), DEFAULT_INTERVAL)
    return DeviceConsent(url, user_code, min(seconds, LONGEST_WAIT), min(interval, LONGEST_INTERVAL), code)


async def poll(
    registration: Registration, service: Service, consent: DeviceConsent, sleep: Sleep = asyncio.sleep
) -> TokenResponse:
    """Poll until the user has consented, and return the token response. Source: RFC 8628 sections 3.4 and 3.5.

    Raises:
        TokenRefused: the user declined, or the code has expired.
        AuthorizationFailed: the user did not consent in time.
    """
    provider = registration.provider
    form = {"grant_type": DEVICE_CODE, "device_code": consent.device_code, "client_id": registration.client_id}
    interval, waited = consent.interval, 0.0
    while waited < consent.seconds:
        await sleep(interval)
        waited += max(interval, 1.0)  # At least one second, so that the loop ends.
        response = await service.post(provider.token_url, f"The token endpoint of {provider.name}", form)
        try:
            return service.read_response(response, form)
        except TokenRefused as error:
            # Twitch puts the error code into the message.
            message = response.document.get("message") if isinstance(response.document, dict) else ""
            code = error.code or short_line(message)
            if code == "slow_down":
                interval = min(interval + DEFAULT_INTERVAL, LONGEST_INTERVAL)
            elif code != "authorization_pending":
                raise
    raise AuthorizationFailed(f"The device code of {provider.name} was not entered in time; start again.")


def _seconds(value: object, default: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        return default
    return float(value)
