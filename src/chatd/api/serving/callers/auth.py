"""Who is asking: a token, else the cookie of a sign-in, else whom the proxy names.

The first that is there counts; one that is there and wrong is refused.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace
from starlette.datastructures import Headers
from starlette.types import Scope

from chatd.accounts.services.speaking import spoken_for
from chatd.accounts.tokens.admitted import Admitted, with_cookie, with_token
from chatd.accounts.tokens.rates import OwnRates
from chatd.accounts.tokens.tokens import hash_of
from chatd.accounts.users import User
from chatd.accounts.ways_in.by_header import with_header
from chatd.accounts.ways_in.sign_ins import Browser
from chatd.api.failures import Forbidden, SignInEnded
from chatd.api.serving.callers.cookies import clear_cookie, cookie_in, oidc_cookie_in
from chatd.api.serving.callers.speaking import SPOKEN_FOR, cannot_act_as, check_may_speak, name_spoken_for
from chatd.api.serving.limits.attempts import Attempt, Attempts
from chatd.api.serving.operating.canonical import line_of
from chatd.api.serving.origins.sites import Sites
from chatd.api.serving.proxies.header import HeaderReader, Told
from chatd.domain.ids import Micros, UserId
from chatd.domain.people.acting import SCOPES_FOR_OTHERS
from chatd.domain.people.audit import AskedBy, Via
from chatd.domain.people.permit import Standing
from chatd.domain.people.rates import Party
from chatd.errors import NotAllowed, Unauthenticated
from chatd.kit.networks import network_of
from chatd.kit.text import one_line, shortened
from chatd.storage.database import Database

HINT = "Send the header `Authorization: Bearer TOKEN`, or sign in with a browser."
# Most requests follow another one with the same token. One that is withdrawn counts for this long at most.
KNOWN_SECONDS = 1.0
KNOWN_MAX = 1000

# They change nothing.
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
BROWSER_LENGTH_MAX = 200


class Caller(Struct, frozen=True):
    """Who asks. With `service`, that is who acts, and `user` is on whose behalf."""

    user: User
    # What counts of them when something is permitted.
    standing: Standing
    # None for one who has shown a token.
    sign_in_id: str | None = None
    # When the token ends that was shown now or to sign in.
    expires_at: Micros | None = None
    # The one that was shown now.
    token_id: str | None = None
    via: Via = Via.TOKEN
    # The service that speaks for the user, or has made the token that was shown.
    service: User | None = None
    rates: OwnRates = OwnRates()

    @property
    def party(self) -> Party:
        """What counts of them when requests are counted."""
        return Party(
            user_id=self.user.id,
            token_id=self.rates.token_id,
            token_rates=self.rates.token,
            service_id=self.service.id if self.service is not None else self.user.service_id,
            service_rates=self.rates.service,
        )

    @property
    def parties(self) -> frozenset[UserId]:
        """On whom it depends what they may do: themselves, and the service that speaks for them."""
        service_id = self.service.id if self.service is not None else self.user.service_id
        return frozenset(each for each in (self.user.id, service_id) if each is not None)


class Visit(Struct, frozen=True, kw_only=True):
    """What is known of a request before we know who makes it."""

    browser: Browser
    # Of a sign-in that the browser has, or had.
    cookie: str | None
    # Of one that signs in at an identity provider.
    oidc_cookie: str | None
    is_secure: bool
    request_id: str

    @property
    def network(self) -> str:
        """Whose requests are counted together."""
        return network_of(self.browser.address)


def visit_of(scope: Scope, headers: Headers, sites: Sites) -> Visit:
    address = sites.proxies.address_of(scope, headers)
    secure = sites.is_secure(scope, headers)
    name = shortened(one_line(headers.get("user-agent", "")), BROWSER_LENGTH_MAX)
    return Visit(
        browser=Browser(address, name),
        cookie=cookie_in(headers, secure=secure),
        oidc_cookie=oidc_cookie_in(headers, secure=secure),
        is_secure=secure,
        request_id=line_of(scope).request_id,
    )


class Changes(Protocol):
    """Whose ways in have changed, as far as this process has heard."""

    @property
    def changes(self) -> int:
        """How often."""
        ...

    def changed_since(self, count: int) -> frozenset[UserId] | None:
        """Whose, since it was so often; None: perhaps everybody's."""
        ...


class NoChanges:
    changes = 0

    def changed_since(self, count: int) -> frozenset[UserId] | None:  # noqa: ARG002
        return frozenset()


NO_CHANGES: Changes = NoChanges()


class Callers:
    """Finds callers, and remembers the found ones for a moment, by the hash of what they have shown."""

    def __init__(
        self,
        db: Database,
        now_seconds: Callable[[], float],
        sites: Sites,
        changes: Changes = NO_CHANGES,
        *,
        attempts: Attempts,
        header: HeaderReader | None = None,
        access_changed: Callable[[UserId], None] = lambda _: None,
    ) -> None:
        """`changes` tells whose ways in have changed: then what is known of them counts no more.

        `access_changed` is told when the proxy says something new of a user.
        """
        self.sites = sites
        self._attempts = attempts
        self._header = header
        self._access_changed = access_changed
        self._changes = changes
        self._known_since = 0
        self._db = db
        self._now_seconds = now_seconds
        # With the time at which each is forgotten, the oldest first.
        self._known: dict[tuple[Via, str], tuple[float, Caller]] = {}

    async def caller_of(self, scope: Scope, headers: Headers) -> Caller:
        """Raises Unauthenticated, or Forbidden when a page of others has sent a cookie of ours; and
        TooManyRequests when too many of whom we do not know have come from the same address.
        """
        if scope["type"] == "websocket" and "origin" in headers and not self.sites.may_call(headers):
            raise cross_site()
        if (header := headers.get("authorization")) is not None:
            if (token_hash := _hash_in(header)) is None:
                raise await self._nobody(scope, headers)
            caller = await self._tried(token_hash, partial(self._with_token, token_hash), scope, headers)
            if SPOKEN_FOR in headers:
                return await self._speaking(caller, token_hash, scope, headers)
            return caller
        if SPOKEN_FOR in headers:
            raise cannot_act_as("Only a service with a token can speak for somebody.")
        secure = self.sites.is_secure(scope, headers)
        cookie = cookie_in(headers, secure=secure)
        told = self._header.told(scope, headers) if cookie is None and self._header is not None else None
        if cookie is None and told is None:
            raise await self._nobody(scope, headers)
        # A browser adds a cookie by itself, and the proxy its header, whichever page has made the request.
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and not self.sites.is_own(headers):
            raise cross_site()
        if cookie is not None:
            secret_hash = hash_of(cookie)
            find = partial(self._with_cookie, secret_hash, secure=secure)
            return await self._tried(secret_hash, find, scope, headers)
        assert told is not None
        return await self._with_header(told, visit_of(scope, headers, self.sites))

    def expect(self, secret: str) -> None:
        """A token or a cookie was made just now. It is looked up whatever else comes from its address."""
        self._attempts.succeeded(hash_of(secret))

    async def _tried(
        self, secret_hash: str, find: Callable[[], Awaitable[Caller]], scope: Scope, headers: Headers
    ) -> Caller:
        """Whom the secret lets in. Raises TooManyRequests before anything is looked up."""
        if not self._attempts.was_good(secret_hash):
            await self._attempts.check(Attempt.WRONG, self._network(scope, headers))
        try:
            caller = await find()
        except Unauthenticated:
            self._attempts.failed(Attempt.WRONG, self._network(scope, headers), secret_hash)
            raise
        self._attempts.succeeded(secret_hash)
        return caller

    async def _nobody(self, scope: Scope, headers: Headers) -> Unauthenticated:
        """Raises TooManyRequests."""
        network = self._network(scope, headers)
        await self._attempts.check(Attempt.NOTHING, network)
        self._attempts.failed(Attempt.NOTHING, network)
        return Unauthenticated("unauthenticated", "This request carries no token.", hint=HINT)

    def _network(self, scope: Scope, headers: Headers) -> str:
        return network_of(self.sites.proxies.address_of(scope, headers))

    async def _speaking(self, caller: Caller, token_hash: str, scope: Scope, headers: Headers) -> Caller:
        """On whose behalf the service asks. Raises Forbidden."""
        named = name_spoken_for(headers)
        check_may_speak(caller.user, caller.standing)

        async def find(_: str) -> Caller | None:
            by = asked_by(caller, visit_of(scope, headers, self.sites))
            user = await spoken_for(self._db, caller.user, named, by=by)
            return _on_behalf(caller, user) if user is not None else None

        try:
            found = await self._known_or(Via.TOKEN, f"{token_hash} {named}", find)
        except NotAllowed as error:
            raise Forbidden(error.code, error.message, hint=error.hint) from None
        if found is None:
            raise cannot_act_as("This service does not speak for such a user.")
        return found

    async def _with_token(self, token_hash: str) -> Caller:
        caller = await self._known_or(Via.TOKEN, token_hash, self._of_token)
        if caller is None:
            raise Unauthenticated(
                "unauthenticated",
                "This token is not valid.",
                hint="It may have been replaced; the administrator's is in the server's data directory.",
            )
        return caller

    async def _with_cookie(self, secret_hash: str, *, secure: bool) -> Caller:
        caller = await self._known_or(Via.COOKIE, secret_hash, self._of_cookie)
        if caller is None:
            ended = SignInEnded()
            if self._header is not None:
                # Or else the header would not count before the browser forgets the cookie by itself.
                ended.set_cookie = clear_cookie(secure=secure)
            raise ended
        return caller

    async def _with_header(self, told: Told, visit: Visit) -> Caller:
        """All that the proxy says is remembered by, so that something new counts at once."""
        header = self._header
        assert header is not None
        by = AskedBy(via=Via.PROXY, address=visit.browser.address, request_id=visit.request_id)

        async def find(_: str) -> Caller | None:
            admitted, changed = await with_header(self._db, header.way, told.name, told.groups, by=by)
            if changed:
                self._access_changed(admitted.user.id)
            return _caller(admitted, Via.PROXY)

        said = "\n".join((told.name, *(told.groups or ())))
        caller = await self._known_or(Via.PROXY, hash_of(said), find)
        assert caller is not None
        return caller

    async def _of_token(self, token_hash: str) -> Caller | None:
        return _caller(await with_token(self._db, token_hash), Via.TOKEN)

    async def _of_cookie(self, secret_hash: str) -> Caller | None:
        return _caller(await with_cookie(self._db, secret_hash), Via.COOKIE)

    async def _known_or(
        self, via: Via, shown_hash: str, find: Callable[[str], Awaitable[Caller | None]]
    ) -> Caller | None:
        # With the way: who sends the name of a user as a token is not that user.
        shown = (via, shown_hash)
        if self._known_since != (changes := self._changes.changes):
            self._forget(self._changes.changed_since(self._known_since))
            self._known_since = changes
        until, caller = self._known.get(shown, (0.0, None))
        now = self._now_seconds()
        if caller is not None and now < until:
            return caller
        self._known.pop(shown, None)
        found = await find(shown_hash)
        # Only what exists: what a stranger sends takes no room. And not what may have changed meanwhile.
        if found is not None and changes == self._changes.changes:
            while len(self._known) >= KNOWN_MAX:
                del self._known[next(iter(self._known))]
            self._known[shown] = now + KNOWN_SECONDS, found
        return found

    def _forget(self, users: frozenset[UserId] | None) -> None:
        """What is known of these; None: of all."""
        self._known = {
            shown: (until, caller)
            for shown, (until, caller) in self._known.items()
            if users is not None and not users & caller.parties
        }


def _caller(admitted: Admitted | None, via: Via) -> Caller | None:
    if admitted is None:
        return None
    user = admitted.user
    standing = Standing(role=user.role, kind=user.kind, scopes=admitted.scopes, family=admitted.family)
    return Caller(
        user,
        standing,
        admitted.sign_in_id,
        admitted.expires_at,
        admitted.token_id,
        via,
        admitted.service,
        admitted.rates,
    )


def _hash_in(authorization: str) -> str | None:
    scheme, _, token = authorization.partition(" ")
    return hash_of(token.strip()) if scheme.lower() == "bearer" and token.strip() else None


def _on_behalf(caller: Caller, user: User) -> Caller:
    """In somebody's name a service does no more than chat, whatever its token is good for."""
    scopes = caller.standing.scopes & SCOPES_FOR_OTHERS
    standing = Standing(role=user.role, kind=user.kind, scopes=scopes)
    return replace(caller, user=user, standing=standing, service=caller.user)


def asked_by(caller: Caller | None, visit: Visit) -> AskedBy:
    """Who asks, for the audit."""
    if caller is None:
        return AskedBy(via=Via.DOOR, address=visit.browser.address, request_id=visit.request_id)
    service = caller.service
    return AskedBy(
        via=caller.via,
        actor_id=service.id if service is not None else caller.user.id,
        on_behalf_of=caller.user.id if service is not None else None,
        token_id=caller.token_id,
        address=visit.browser.address,
        request_id=visit.request_id,
    )


def cross_site() -> Forbidden:
    return Forbidden(
        "cross_site",
        "Another site has sent this request, or the browser did not say which.",
        hint="Use the page of this server. If this is it, behind a proxy, set `public_url` to its address.",
    )
