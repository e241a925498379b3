"""The device flow: a user consents on another device, where they enter a short code.

Source: RFC 8628.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from server_core.auth.broker.registrations import Registration
from server_core.auth.broker.service import Service
from server_core.oauth.errors import AuthorizationFailed, TokenRefused, remark
from server_core.oauth.registration import is_credential
from server_core.oauth.tokens import Answer
from server_core.oauth.urls import check

DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
USUAL_PAUSE = 5.0
LONGEST_PAUSE = 60.0
LONGEST_WAIT = 1800.0

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class DeviceConsent:
    """What a user has to do.

    Attributes:
        url: the verification URL to open.
        user_code: the code to enter there.
        seconds: how long the code is valid.
        pause: the interval between polls, in seconds.
        device_code: the code for polling.
    """

    url: str
    user_code: str
    seconds: float
    pause: float
    device_code: str = field(repr=False)


async def begin(registration: Registration, service: Service, scopes: tuple[str, ...]) -> DeviceConsent:
    """Request a code that a user can enter on another device.

    Raises:
        AuthorizationFailed: the service has no device flow, or its response is invalid.

    Source: RFC 8628 sections 3.1 and 3.2.
    """
    provider = registration.provider
    if not provider.device_url:
        raise AuthorizationFailed(f"{provider.name} has no device flow; omit --device.")
    form = {"client_id": registration.client_id}
    if scopes:
        form[provider.device_scope_parameter] = provider.scope_separator.join(scopes)
    reply = await service.ask(provider.device_url, f"The device endpoint of {provider.name}", form)
    document = reply.document if isinstance(reply.document, dict) else {}
    if reply.status != 200:
        reason = ": ".join(filter(None, (remark(document.get("error")), remark(document.get("error_description")))))
        raise TokenRefused(f"{provider.name} did not start a device flow ({reason or reply.status}).", "")
    code, user_code = document.get("device_code"), document.get("user_code")
    if not is_credential(code) or not is_credential(user_code) or len(user_code) > 64:
        raise AuthorizationFailed(f"{provider.name} returned an invalid response instead of a device code.")
    # Google, and early drafts, name it verification_url.
    place = document.get("verification_uri") or document.get("verification_url")
    url = check(place, f"The verification URL of {provider.name}", provider.authorize_url)
    seconds, pause = _number(document.get("expires_in"), LONGEST_WAIT), _number(document.get("interval"), USUAL_PAUSE)
    return DeviceConsent(url, user_code, min(seconds, LONGEST_WAIT), min(pause, LONGEST_PAUSE), code)


async def poll(
    registration: Registration, service: Service, consent: DeviceConsent, sleep: Sleep = asyncio.sleep
) -> Answer:
    """Poll until the user has consented, and return the token response.

    Raises:
        TokenRefused: the user declined, or the code has expired.
        AuthorizationFailed: the user did not consent in time.

    Source: RFC 8628 sections 3.4 and 3.5.
    """
    provider = registration.provider
    form = {"grant_type": DEVICE_CODE, "device_code": consent.device_code, "client_id": registration.client_id}
    pause, waited = consent.pause, 0.0
    while waited < consent.seconds:
        await sleep(pause)
        waited += max(pause, 1.0)
        reply = await service.ask(provider.token_url, f"The token endpoint of {provider.name}", form)
        try:
            return service.read(reply, form)
        except TokenRefused as error:
            # Twitch puts the error code into the message.
            document = error.code or remark((reply.document or {}).get("message") if reply.document else "")
            if document == "slow_down":
                pause = min(pause + USUAL_PAUSE, LONGEST_PAUSE)
            elif document != "authorization_pending":
                raise
    raise AuthorizationFailed(f"The device code of {provider.name} was not entered in time; start again.")


def _number(value: object, usual: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        return usual
    return float(value)
