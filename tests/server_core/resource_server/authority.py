"""An authorization server for tests: its published keys, and the tokens that it signs."""

import json
import time
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from jwt.api_jws import PyJWS

from server_core.resource_server import AccessTokenValidationOptions, AuthorizationServerEntry, ResourceServerAuth

CANONICAL = "https://mcp.example.com/mcp"
ISSUER = "https://as.example.com"

_KINDS: dict[str, tuple[Any, Any]] = {
    "RS": (lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048), RSAAlgorithm),
    "PS": (lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048), RSAAlgorithm),
    "ES256": (lambda: ec.generate_private_key(ec.SECP256R1()), ECAlgorithm),
    "ES384": (lambda: ec.generate_private_key(ec.SECP384R1()), ECAlgorithm),
    "ES512": (lambda: ec.generate_private_key(ec.SECP521R1()), ECAlgorithm),
    "Ed": (ed25519.Ed25519PrivateKey.generate, OKPAlgorithm),
}

_signatures = PyJWS()
_signatures.register_algorithm("Ed25519", OKPAlgorithm())


def _kind(algorithm: str) -> tuple[Any, Any]:
    return next(kind for prefix, kind in _KINDS.items() if algorithm.startswith(prefix))


def document(value: Any) -> httpx.Response:
    """Return a response with a JSON document that is still to be read."""
    return httpx.Response(200, stream=httpx.ByteStream(json.dumps(value).encode()))


class Authority:
    """An authorization server.

    Args:
        issuer: its name.
        algorithm: what it signs with.
    """

    def __init__(self, issuer: str = ISSUER, algorithm: str = "ES256") -> None:
        self.issuer = issuer
        self.algorithm = algorithm
        self.jwks_uri = f"{issuer}/jwks"
        self.fetches = 0
        """How often its keys were requested."""
        self.is_down = False
        self.published: dict[str, Any] = {}
        """The document with its keys; made from them when it is empty."""
        self._keys: dict[str, Any] = {}
        self.rotate("first")

    def rotate(self, kid: str) -> None:
        """Sign with a new key from now on, and publish it alone."""
        self.sign_with(kid, _kind(self.algorithm)[0]())

    def sign_with(self, kid: str, key: Any) -> None:
        """Sign with this key from now on, and publish it alone."""
        self._keys = {kid: key}

    @property
    def transport(self) -> httpx.MockTransport:
        """Leads to what it publishes."""
        return httpx.MockTransport(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Respond to a request for the keys."""
        self.fetches += 1
        if self.is_down:
            raise httpx.ConnectError("down")
        return document(self.published or self.jwks())

    def jwks(self) -> dict[str, Any]:
        """Return its keys, as they are published."""
        as_jwk = _kind(self.algorithm)[1].to_jwk
        return {
            "keys": [
                {**json.loads(as_jwk(key.public_key())), "kid": kid, "alg": self.algorithm, "use": "sig"}
                for kid, key in self._keys.items()
            ]
        }

    def token(self, *, is_anonymous: bool = False, **claims: Any) -> str:
        """Return a token: one that holds, but for the claims that are given; None leaves one out."""
        now = int(time.time())
        body = {
            "iss": self.issuer,
            "aud": CANONICAL,
            "sub": "ada",
            "iat": now,
            "exp": now + 600,
            "scope": "mcp",
            **claims,
        }
        return self.signed(
            {name: value for name, value in body.items() if value is not None}, is_anonymous=is_anonymous
        )

    def signed(self, body: Any, *, is_anonymous: bool = False) -> str:
        """Return a body that it has signed, whatever it is; an anonymous one does not name its key."""
        kid, key = next(iter(self._keys.items()))
        named = {"typ": "at+jwt"} if is_anonymous else {"kid": kid, "typ": "at+jwt"}
        return _signatures.encode(json.dumps(body).encode(), key, algorithm=self.algorithm, headers=named)

    def entry(self, **options: Any) -> AuthorizationServerEntry:
        """Return its metadata."""
        return AuthorizationServerEntry(
            self.issuer,
            self.issuer,
            self.jwks_uri,
            self.algorithm,
            validation_options=AccessTokenValidationOptions(**options),
        )


def hmac_token(secret: str) -> str:
    """Return a token that is signed with a shared secret, and names a key that is published."""
    claims = {"iss": ISSUER, "aud": CANONICAL, "sub": "ada", "exp": int(time.time()) + 600}
    return jwt.encode(claims, secret, algorithm="HS256", headers={"kid": "first"})


def validator_of(authority: Authority, **options: Any) -> ResourceServerAuth:
    """Return a validator of its tokens that supports no scopes."""
    return ResourceServerAuth(
        [authority.entry(**options)],
        CANONICAL,
        scopes_supported=[],
        default_challenge_scopes=[],
        transport=authority.transport,
    )
