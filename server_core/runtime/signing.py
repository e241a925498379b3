"""Claims as signed text: a JSON Web Token of one kind, HS256, for what this server gives out and gets back.

The standard library signs, because importing a library for that would hold up the core, and what it serves, for a tenth
of a second. There is one algorithm, and what a token says of its algorithm is not asked.

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


class NotSigned(WorkbenchError):
    """The text is no token of this key's, or its time is over."""


def sign(key: str, claims: dict[str, Any], lifetime: float) -> str:
    """Return the token of some claims.

    Args:
        key: the secret that signs.
        claims: JSON values by name; `exp` is added.
        lifetime: for how many seconds it holds.
    """
    body = {**claims, "exp": int(time.time() + lifetime)}
    signed = f"{_encode({'alg': 'HS256', 'typ': 'JWT'})}.{_encode(body)}"
    return f"{signed}.{_signature(key, signed)}"


def verify(key: str, token: str) -> dict[str, Any]:
    """Return the claims of a token.

    Args:
        key: the secret that signed it.
        token: what :func:`sign` returned.

    Raises:
        NotSigned: when the key has not signed it, or its time is over.
    """
    signed, _, signature = token.rpartition(".")
    if not hmac.compare_digest(_bytes(signature), _signature(key, signed).encode()):
        raise NotSigned("The token is missing, or is none of this server's.")
    claims = _decode(signed.partition(".")[2])
    expires = claims.get("exp")
    if not isinstance(expires, int) or expires <= time.time():
        raise NotSigned("The token's time is over.")
    return claims


def _signature(key: str, signed: str) -> str:
    return _base64(hmac.digest(key.encode(), _bytes(signed), hashlib.sha256))


def _encode(value: dict[str, Any]) -> str:
    return _base64(json.dumps(value, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    # Whatever came over the wire: half of a surrogate pair is no signature, and no reason to fail.
    return text.encode("utf-8", "surrogatepass")


def _decode(part: str) -> dict[str, Any]:
    try:
        value = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, binascii.Error):
        return {}
    return value if isinstance(value, dict) else {}
