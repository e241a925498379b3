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
"""Seconds between two polls, if the service specifies none or 0; `slow_down` adds as many (section 3.5)."""
SHORTEST_INTERVAL, LONGEST_INTERVAL = 1.0, 60.0
"""The limits of what the service may specify: a tiny interval would only burden it."""
LONGEST_WAIT = 1800.0
"""Seconds until the user must have consented, whatever the service specifies."""

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class DeviceConsent:
    """A device flow that has begun: the user has to open the URL, and enter the user code there."""

    url: str
    user_code: str
    timeout: float  # Seconds for which the code is valid, and polling goes on.
    interval: float  # Seconds between polls.
    device_code: str = field(repr=False)  # Identifies the flow when polling; never shown to the user.


async def begin(registration: Registration, service: Service, scopes: tuple[str, ...]) -> DeviceConsent:
    """Request a code that a user can enter on another device; AuthorizationFailed where there is no device flow.

    Source: RFC 8628 sections 3.1 and 3.2.
    """
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
    device_code, user_code = document.get("device_code"), document.get("user_code")
    if not is_credential(device_code) or not is_credential(user_code) or len(user_code) > 64:
        raise AuthorizationFailed(f"{provider.name} returned an invalid response instead of a device code.")
    # Google, like early drafts of the RFC, calls it `verification_url`.
    unchecked_url = document.get("verification_uri") or document.get("verification_url")
    url = check_url(unchecked_url, f"The verification URL of {provider.name}", provider.authorize_url)
    timeout = min(_seconds(document.get("expires_in"), LONGEST_WAIT), LONGEST_WAIT)
    interval = _seconds(document.get("interval"), DEFAULT_INTERVAL)
    interval = min(max(interval, SHORTEST_INTERVAL), LONGEST_INTERVAL)
    return DeviceConsent(url, user_code, timeout, interval, device_code)


async def poll(
    registration: Registration, service: Service, consent: DeviceConsent, sleep: Sleep = asyncio.sleep
) -> TokenResponse:
    """Poll until the user has consented; TokenRefused if they declined, AuthorizationFailed if they did not in time.

    Source: RFC 8628 sections 3.4 and 3.5.
    """
    provider = registration.provider
    form = {"grant_type": DEVICE_CODE, "device_code": consent.device_code, "client_id": registration.client_id}
    interval, waited = consent.interval, 0.0
    while waited < consent.timeout:
        await sleep(interval)
        waited += interval
        response = await service.post(provider.token_url, f"The token endpoint of {provider.name}", form)
        try:
            return service.read_response(response, form)
        except TokenRefused as error:
            # Twitch puts the error code into the member `message`.
            message = response.document.get("message") if isinstance(response.document, dict) else ""
            error_code = error.code or short_line(message)
            if error_code == "slow_down":
                interval = min(interval + DEFAULT_INTERVAL, LONGEST_INTERVAL)
            elif error_code != "authorization_pending":
                raise
    raise AuthorizationFailed(f"The device code of {provider.name} was not entered in time; start again.")


def _seconds(value: object, default: float) -> float:
    """Return a number of seconds in a response; the default if it is missing or makes no sense."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        return default
    return float(value)
