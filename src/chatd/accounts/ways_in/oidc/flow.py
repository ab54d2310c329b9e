"""A sign-in at the provider: the browser is sent there, and comes back with a code (OpenID Connect).

What holds it together is a secret in a cookie of the browser. The `state` is random, works once and for ten
minutes, and only with that cookie; `nonce` and PKCE's verifier are made of both. So nothing is kept here that
would be of use to a reader of the database, and a code that was meant for another browser is worth nothing.
"""

import asyncio
import base64
import hashlib
import hmac
import importlib
import re
import secrets
from importlib.util import find_spec
from urllib.parse import quote

import msgspec
import structlog
from msgspec import Struct

from chatd.accounts.tokens.tokens import RANDOM_BYTES
from chatd.accounts.ways_in.declared import Oidc
from chatd.accounts.ways_in.oidc.away import Begun, keep_begun, take_begun
from chatd.accounts.ways_in.oidc.claims import Person, person_in, wanted_claims
from chatd.accounts.ways_in.oidc.failures import Failure, NotSignedIn
from chatd.accounts.ways_in.oidc.id_token import Claims, checked_claims, key_id_in
from chatd.accounts.ways_in.oidc.people import Met, user_for
from chatd.accounts.ways_in.oidc.provider import Metadata, Provider
from chatd.accounts.ways_in.sign_ins import Browser, Method, begin_sign_in, sign_in_failed
from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy
from chatd.errors import Misconfigured
from chatd.kit.outbound.pkce import S256, challenge_of, with_parameters
from chatd.storage.database import Connection, Database

log = structlog.get_logger()

# How often a person is looked up whose other browser comes at the same moment.
TRIES = 3

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


class Sent(Struct, frozen=True):
    """Where the browser goes, and what its cookie holds."""

    url: str
    secret: str


class Returned(Struct, frozen=True, kw_only=True):
    """What a browser comes back with. All of it may be anything."""

    state: str = ""
    code: str = ""
    issuer: str = ""
    error: str = ""
    # What its cookie holds.
    secret: str | None = None


class SignedIn(Struct, frozen=True, kw_only=True):
    """The secret of the new sign-in; or none for a user who was signed in and is now joined."""

    secret: str | None
    user_id: UserId
    return_to: str


class _Granted(Struct, frozen=True, kw_only=True):
    id_token: str
    access_token: str = ""
    token_type: str = ""


def check_installed() -> None:
    """Raises Misconfigured."""
    if find_spec("jwt") is None:
        raise Misconfigured("[oidc] needs the extra of that name: pip install 'chatd[oidc]'.")


class OidcFlow:
    def __init__(self, provider: Provider, *, client_secret: str | None, public_url: str) -> None:
        self._provider = provider
        self._client_secret = client_secret
        self._redirect_uri = f"{public_url.rstrip('/')}/api/v1/auth/oidc/callback"

    @property
    def way(self) -> Oidc:
        return self._provider.way

    async def begin(
        self,
        db: Database,
        *,
        return_to: str,
        secret: str | None,
        network: str,
        link_to: UserId | None = None,
    ) -> Sent:
        """Several sign-ins of one browser have the same secret. `network` is where the browser is.

        Raises NotSignedIn.
        """
        metadata = await self._provider.metadata()
        if secret is None or not _SECRET.fullmatch(secret):
            secret = secrets.token_urlsafe(RANDOM_BYTES)
        state = secrets.token_urlsafe(RANDOM_BYTES)
        begun = Begun(issuer=self.way.issuer, return_to=return_to, link_to=link_to)
        await keep_begun(db, begun, state=state, secret=secret, network=network)
        asked = {
            "response_type": "code",
            "client_id": self.way.client_id,
            "redirect_uri": self._redirect_uri,
            "scope": " ".join(self.way.scopes),
            "state": state,
            "nonce": _derived(secret, "nonce", state),
            "code_challenge": challenge_of(_derived(secret, "verifier", state)),
            "code_challenge_method": S256,
        }
        return Sent(with_parameters(metadata.authorization_endpoint, asked), secret)

    async def come_back(
        self, db: Database, returned: Returned, browser: Browser, *, instead_of: str | None, by: AskedBy
    ) -> SignedIn:
        """Raises NotSignedIn, of which the log and the audit tell."""
        try:
            return await self._come_back(db, returned, browser, instead_of, by)
        except NotSignedIn as failed:
            log.warning("oidc.not_signed_in", failure=failed.failure.value, why=failed.why)
            why = failed.failure.value
            await db.write(lambda tx: sign_in_failed(tx, Method.OIDC, by, why=why))
            raise

    async def _come_back(
        self, db: Database, returned: Returned, browser: Browser, instead_of: str | None, by: AskedBy
    ) -> SignedIn:
        begun, secret = await self._taken(db, returned)
        metadata = await self._provider.metadata()
        self._check_return(returned, begun, metadata)
        person = await self._person(metadata, returned, secret)

        async def body(tx: Connection) -> SignedIn:
            user_id = await user_for(tx, self.way, person, link_to=begun.link_to, by=by)
            if begun.link_to is not None:
                return SignedIn(secret=None, user_id=user_id, return_to=begun.return_to)
            made = await begin_sign_in(tx, user_id, browser, method=Method.OIDC, instead_of=instead_of, by=by)
            return SignedIn(secret=made, user_id=user_id, return_to=begun.return_to)

        for _ in range(TRIES - 1):
            try:
                return await db.write(body)
            except Met:
                continue
        return await db.write(body)

    async def _taken(self, db: Database, returned: Returned) -> tuple[Begun, str]:
        """What was begun with this state, in this browser, once."""
        state, secret = returned.state, returned.secret
        if state and secret is not None and _SECRET.fullmatch(secret):
            begun = await take_begun(db, state=state, secret=secret)
            if begun is not None:
                return begun, secret
        raise NotSignedIn(Failure.STATE, "the state is unknown, used, too old, or of another browser")

    def _check_return(self, returned: Returned, begun: Begun, metadata: Metadata) -> None:
        """It comes from the provider where this sign-in has begun (RFC 9207)."""
        needed = metadata.authorization_response_iss_parameter_supported
        told = returned.issuer or (begun.issuer if not needed else "")
        if begun.issuer != self.way.issuer or told != self.way.issuer:
            raise NotSignedIn(Failure.STATE, "the answer comes from another provider")
        if returned.error or not returned.code:
            raise NotSignedIn(Failure.REFUSED, "the provider sent no code")

    async def _person(self, metadata: Metadata, returned: Returned, secret: str) -> Person:
        granted = await self._granted(metadata, returned.code, _derived(secret, "verifier", returned.state))
        # It takes a while the first time.
        await asyncio.to_thread(importlib.import_module, "jwt")
        token = granted.id_token
        claims = checked_claims(
            token,
            await self._provider.keys(key_id_in(token)),
            issuer=self.way.issuer,
            client_id=self.way.client_id,
            nonce=_derived(secret, "nonce", returned.state),
        )
        return person_in(await self._completed(claims, metadata, granted), self.way)

    async def _granted(self, metadata: Metadata, code: str, verifier: str) -> _Granted:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": verifier,
        }
        headers, shown = self._client(metadata)
        answer = await self._provider.ask("POST", metadata.token_endpoint, headers=headers, form=form | shown)
        if not answer.is_well:
            raise NotSignedIn(Failure.REFUSED, f"the code was answered with status {answer.status}")
        try:
            return msgspec.json.decode(answer.body, type=_Granted)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise NotSignedIn(Failure.AWAY, "the provider sent no ID token for the code") from None

    def _client(self, metadata: Metadata) -> tuple[dict[str, str], dict[str, str]]:
        """How we show who we are: in a header, unless the provider only takes it in the form."""
        client_id, secret = self.way.client_id, self._client_secret
        if secret is None:
            return {}, {"client_id": client_id}
        methods = metadata.token_endpoint_auth_methods_supported
        if methods is not None and "client_secret_basic" not in methods and "client_secret_post" in methods:
            return {}, {"client_id": client_id, "client_secret": secret}
        pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}".encode()
        return {"Authorization": f"Basic {base64.b64encode(pair).decode('ascii')}"}, {}

    async def _completed(self, claims: Claims, metadata: Metadata, granted: _Granted) -> Claims:
        """With what many providers tell only there, if it is needed. It has to be of the same person."""
        missing = [name for name in wanted_claims(self.way) if name not in claims]
        if not missing or metadata.userinfo_endpoint is None or not granted.access_token:
            return claims
        headers = {"Authorization": f"Bearer {granted.access_token}"}
        answer = await self._provider.ask("GET", metadata.userinfo_endpoint, headers=headers)
        try:
            told = msgspec.json.decode(answer.body, type=dict) if answer.is_well else {}
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            told = {}
        if not told:
            raise NotSignedIn(Failure.AWAY, "the provider told nothing about the person")
        if told.get("sub") != claims["sub"]:
            raise NotSignedIn(Failure.TOKEN, "the provider told about another person")
        return {**told, **claims}


def _derived(secret: str, purpose: str, state: str) -> str:
    """43 characters, as PKCE wants them."""
    digest = hmac.new(secret.encode(), f"{purpose} {state}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")
