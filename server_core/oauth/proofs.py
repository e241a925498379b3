"""Proofs of possession (DPoP): a token can only be used with the key that it is bound to.

Source: RFC 9449.
"""

import hashlib
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

ALGORITHM = "ES256"


class ProofKey:
    """A key that tokens are bound to.

    Args:
        pem: an existing key; a new key is generated when empty.
        clock: seconds since the epoch.
    """

    def __init__(self, pem: str = "", clock: Callable[[], float] = time.time) -> None:
        self._key = _load(pem) if pem else _make()
        self._clock = clock

    def __repr__(self) -> str:
        return "ProofKey(...)"

    def pem(self) -> str:
        """Return the private key as PEM, to be stored."""
        from cryptography.hazmat.primitives import serialization as forms

        return self._key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()).decode(
            "ascii"
        )

    def prove(self, method: str, url: str, *, token: str = "", nonce: str = "") -> str:
        """Return a proof for one request.

        Args:
            method: its HTTP method.
            url: its URL.
            token: the access token that it carries, if any.
            nonce: the nonce that the server requires, if any.
        """
        import jwt

        # Section 4.2: the URL without query and fragment.
        parts = urlsplit(url)
        claims: dict[str, Any] = {
            "jti": secrets.token_urlsafe(16),
            "htm": method,
            "htu": urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
            "iat": int(self._clock()),
        }
        if token:
            claims["ath"] = _url_base64(hashlib.sha256(token.encode("ascii")).digest())
        if nonce:
            claims["nonce"] = nonce
        return jwt.encode(claims, self._key, ALGORITHM, headers={"typ": "dpop+jwt", "jwk": self.public()})

    def public(self) -> dict[str, str]:
        """Return the public key as a JWK."""
        numbers = self._key.public_key().public_numbers()
        x, y = (_url_base64(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
        return {"kty": "EC", "crv": "P-256", "x": x, "y": y}


def _make() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _load(pem: str) -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    key = load_pem_private_key(pem.encode("ascii"), password=None)
    if not isinstance(key, EllipticCurvePrivateKey):
        raise ValueError("The key is not an elliptic curve key.")
    return key


def _url_base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
