"""An identity provider of our own that speaks the protocol, and lies where a test wants it to."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

CLIENT_ID = "chatd"
# To make one takes as long as a test.
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CURVE_KEY = ec.generate_private_key(ec.SECP256R1())


class HostileProvider:
    """`claims` replaces what an honest one would say, and `signed` what it would sign with."""

    def __init__(self) -> None:
        self.issuer = ""
        self.claims: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.userinfo: dict[str, Any] | None = None
        self.keys = [public_jwk("first")]
        self.is_down = False
        # What was asked, by path.
        self.asked: list[str] = []
        self.forms: list[Mapping[str, str]] = []
        self._nonces: dict[str, str] = {}
        self.sign: Callable[[dict[str, Any]], str] = honest

    def sent(self, url: str) -> Mapping[str, str]:
        """A browser comes by. What it brought along, and the code that it is given."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        code = f"code {len(self._nonces)}"
        self._nonces[code] = asked["nonce"]
        return {**asked, "code": code}

    def honest_claims(self, code: str) -> dict[str, Any]:
        now = int(time.time())
        return {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": "anna-1",
            "exp": now + 300,
            "iat": now,
            "nonce": self._nonces[code],
            "preferred_username": "anna",
        }

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self._configuration)
        app.router.add_get("/keys", self._keys)
        app.router.add_get("/me", self._me)
        app.router.add_post("/token", self._token)
        return app

    def _answer(self, request: web.Request, body: object) -> web.Response:
        self.asked.append(request.path)
        return web.json_response(body, status=503) if self.is_down else web.json_response(body)

    async def _configuration(self, request: web.Request) -> web.Response:
        told = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize?tenant=1",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/me",
        }
        return self._answer(request, told | self.metadata)

    async def _keys(self, request: web.Request) -> web.Response:
        return self._answer(request, {"keys": self.keys})

    async def _me(self, request: web.Request) -> web.Response:
        nothing_more = {"sub": self.claims.get("sub", "anna-1")}
        return self._answer(request, self.userinfo if self.userinfo is not None else nothing_more)

    async def _token(self, request: web.Request) -> web.Response:
        self.forms.append({name: str(value) for name, value in (await request.post()).items()})
        claims = {
            k: v
            for k, v in (self.honest_claims(self.forms[-1]["code"]) | self.claims).items()
            if v is not None
        }
        return self._answer(
            request, {"access_token": "for /me", "token_type": "Bearer", "id_token": self.sign(claims)}
        )


def honest(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, KEY, "RS256", headers={"kid": "first"})


def with_curve(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, CURVE_KEY, "ES256", headers={"kid": "curve"})


def with_another_key(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, OTHER_KEY, "RS256", headers={"kid": "first"})


def with_unknown_key(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, OTHER_KEY, "RS256", headers={"kid": "second"})


def unsigned(claims: dict[str, Any]) -> str:
    return f"{_part({'alg': 'none', 'kid': 'first'})}.{_part(claims)}."


def with_public_key_as_secret(claims: dict[str, Any]) -> str:
    """Whoever checks it with "the key of the provider", without asking for what, believes it."""
    pem = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = f"{_part({'alg': 'HS256', 'kid': 'first'})}.{_part(claims)}"
    signature = hmac.new(pem, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def with_changed_claims(claims: dict[str, Any]) -> str:
    head, _, signature = honest(claims).split(".")
    return f"{head}.{_part(claims | {'sub': 'somebody else'})}.{signature}"


def public_jwk(key_id: str, **more: str) -> dict[str, Any]:
    return {**RSAAlgorithm.to_jwk(KEY.public_key(), as_dict=True), "kid": key_id, **more}


def curve_jwk() -> dict[str, Any]:
    return {**ECAlgorithm.to_jwk(CURVE_KEY.public_key(), as_dict=True), "kid": "curve"}


def other_jwk() -> dict[str, Any]:
    return {**RSAAlgorithm.to_jwk(OTHER_KEY.public_key(), as_dict=True), "kid": "second"}


def secret_jwk() -> dict[str, Any]:
    """A symmetric key among the public ones: everybody can read it, and sign with it."""
    return {"kty": "oct", "kid": "first", "k": base64.urlsafe_b64encode(b"s" * 32).rstrip(b"=").decode()}


def with_secret_jwk(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, b"s" * 32, "HS256", headers={"kid": "first"})


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@asynccontextmanager
async def hostile_provider() -> AsyncIterator[HostileProvider]:
    provider = HostileProvider()
    runner = web.AppRunner(provider.app())
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        provider.issuer = f"http://127.0.0.1:{port}"
        yield provider
    finally:
        await runner.cleanup()
