"""Signed claims: JSON Web Tokens with HS256, which this server issues and verifies itself.

Implemented with the standard library, because importing a JWT library would delay the start of the core by a tenth of
a second. There is only one algorithm, and the algorithm in a token's header is ignored.

Source: RFC 7519; RFC 7515 section 3.1 (the compact form); RFC 7518 section 3.2 (HS256).
"""

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any

from server_core.errors import WorkbenchError


class InvalidSignature(WorkbenchError):
    """The text is not a token signed with this key, or it has expired."""


def sign(key: str, claims: dict[str, Any], lifetime: float) -> str:
    """Return a signed token for claims (JSON values by name), which is valid for so many seconds."""
    body = {**claims, "exp": int(time.time() + lifetime)}
    signed = f"{_encode({'alg': 'HS256', 'typ': 'JWT'})}.{_encode(body)}"
    return f"{signed}.{_signature(key, signed)}"


def verify(key: str, token: str) -> dict[str, Any]:
    """Return the claims of a token; :class:`InvalidSignature` if another key signed it, or it has expired."""
    signed, _, signature = token.rpartition(".")
    if not hmac.compare_digest(_bytes(signature), _signature(key, signed).encode()):
        raise InvalidSignature("The token is missing or invalid.")
    claims = _decode(signed.partition(".")[2])
    expires = claims.get("exp")
    if not isinstance(expires, int) or expires <= time.time():
        raise InvalidSignature("The token has expired.")
    return claims


def _signature(key: str, signed: str) -> str:
    return _base64(hmac.digest(key.encode(), _bytes(signed), hashlib.sha256))


def _encode(value: dict[str, Any]) -> str:
    return _base64(json.dumps(value, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    # Untrusted input: half of a surrogate pair is an invalid signature, but must not raise.
    return text.encode("utf-8", "surrogatepass")


def _decode(part: str) -> dict[str, Any]:
    try:
        value = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, binascii.Error):
        return {}
    return value if isinstance(value, dict) else {}
