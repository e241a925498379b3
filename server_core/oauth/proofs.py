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
    """A key that tokens are bound to: an existing key, or a new key when `pem` is empty."""

    def __init__(self, pem: str = "", clock: Callable[[], float] = time.time) -> None:
        self._key = _load_key(pem) if pem else _generate_key()
        self._clock = clock

    def __repr__(self) -> str:
        return "ProofKey(...)"

    def pem(self) -> str:
        """Return the private key as PEM, to be stored."""
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        # Without a password: it is stored in the vault, which is encrypted.
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")

    def prove(self, method: str, url: str, *, token: str = "", nonce: str = "") -> str:
        """Return a proof for one request, with the access token and the server's nonce, if it has any."""
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
        return jwt.encode(claims, self._key, ALGORITHM, headers={"typ": "dpop+jwt", "jwk": self.public_jwk()})

    def public_jwk(self) -> dict[str, str]:
        numbers = self._key.public_key().public_numbers()
        # RFC 7518 section 6.2.1.2: both coordinates have the full length of 32 bytes.
        coordinates = {name: _url_base64(getattr(numbers, name).to_bytes(32, "big")) for name in ("x", "y")}
        return {"kty": "EC", "crv": "P-256", **coordinates}


def _generate_key() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _load_key(pem: str) -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    key = load_pem_private_key(pem.encode("ascii"), password=None)
    if not isinstance(key, EllipticCurvePrivateKey):
        raise ValueError("The key is not an elliptic curve key.")
    return key


def _url_base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
