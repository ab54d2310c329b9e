"""Getting tokens: for the code that a user comes back with, and later for the refresh token."""

import base64
from collections.abc import Mapping
from urllib.parse import quote

from msgspec import Struct

from chatd.catalog.mcp.config import ClientAuth, McpConfig, McpSecrets, OAuth
from chatd.catalog.mcp.oauth.metadata import decoded
from chatd.catalog.mcp.oauth.trust import is_named
from chatd.catalog.mcp.rules.values import problem_of_header_value
from chatd.domain.ids import SECOND, Micros
from chatd.kit.clock import Clock
from chatd.kit.outbound.exchange import Exchange, NoAnswer
from chatd.kit.text import one_line, shortened

# What will not be granted however often it is asked for; the second is what GitHub says. Everything else may
# pass: a client whose secret is wrong is mended by an administrator, and users stay signed in.
PERMANENT = frozenset({"invalid_grant", "bad_refresh_token"})
BEARER = "bearer"
ERROR_LENGTH_MAX = 100
# Ten years. What is longer is no answer to be taken at its word.
EXPIRY_SECONDS_MAX = 10 * 365 * 24 * 3600


class Tokens(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a user was given. Sealed wherever it is kept."""

    access_token: str
    refresh_token: str | None = None
    # None: the server did not tell.
    expires_at: Micros | None = None

    def __repr__(self) -> str:
        return "Tokens(…)"


class NotGranted(Exception):
    """In words that end a sentence. `permanent`: asking again is of no use."""

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class _Granted(Struct, frozen=True, kw_only=True):
    access_token: str
    token_type: str = BEARER
    expires_in: int | float | str | None = None
    refresh_token: str | None = None


class _Refusal(Struct, frozen=True, kw_only=True):
    error: str


class TokenEndpoint:
    def __init__(self, exchange: Exchange, clock: Clock) -> None:
        self._exchange = exchange
        self._clock = clock

    async def for_code(
        self, config: McpConfig, secrets: McpSecrets, *, code: str, verifier: str, redirect_uri: str
    ) -> Tokens:
        """Raises NotGranted."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        return await self._granted(config, secrets, form)

    async def refreshed(self, config: McpConfig, secrets: McpSecrets, tokens: Tokens) -> Tokens:
        """The refresh token stays unless another one is given. Raises NotGranted."""
        assert tokens.refresh_token is not None
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
        renewed = await self._granted(config, secrets, form)
        if renewed.refresh_token is not None:
            return renewed
        return Tokens(
            access_token=renewed.access_token,
            refresh_token=tokens.refresh_token,
            expires_at=renewed.expires_at,
        )

    async def _granted(self, config: McpConfig, secrets: McpSecrets, form: dict[str, str]) -> Tokens:
        oauth = config.oauth
        assert oauth is not None
        if oauth.resource is not None:
            form["resource"] = oauth.resource
        headers, identity = client_identity(oauth, secrets)
        try:
            answer = await self._exchange.ask(
                "POST",
                oauth.token_url,
                trusted=is_named(config, oauth.token_url, "token_url"),
                headers=headers,
                form={**form, **identity},
            )
        except NoAnswer as error:
            raise NotGranted(str(error)) from None
        refusal = decoded(answer.body, _Refusal)
        if refusal is not None:
            said = shortened(one_line(refusal.error), ERROR_LENGTH_MAX)
            raise NotGranted(f"it was refused ({said})", permanent=refusal.error in PERMANENT)
        granted = decoded(answer.body, _Granted) if answer.is_well else None
        if granted is None:
            raise NotGranted(f"the answer cannot be used (HTTP {answer.status})")
        return self._checked(granted)

    def _checked(self, granted: _Granted) -> Tokens:
        if granted.token_type.lower() != BEARER:
            raise NotGranted("the token is of an unknown type")
        for token in (granted.access_token, granted.refresh_token):
            if token is not None and problem_of_header_value(token) is not None:
                raise NotGranted("the token is one that cannot be sent")
        return Tokens(
            access_token=granted.access_token,
            refresh_token=granted.refresh_token,
            expires_at=self._expiry(granted.expires_in),
        )

    def _expiry(self, seconds: float | str | None) -> Micros | None:
        """Some servers write the number as text."""
        try:
            number = float(seconds) if seconds is not None else None
        except ValueError:
            number = None
        if number is None or not 0 <= number <= EXPIRY_SECONDS_MAX:
            return None
        return Micros(self._clock.now_micros() + int(number * SECOND))


def client_identity(oauth: OAuth, secrets: McpSecrets) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """How we say which client we are: headers, and fields of the form."""
    secret = secrets.client_secret
    match oauth.client_auth:
        case _ if secret is None:
            return {}, {"client_id": oauth.client_id}
        case ClientAuth.POST:
            return {}, {"client_id": oauth.client_id, "client_secret": secret}
        case ClientAuth.BASIC | ClientAuth.NONE:
            # Every server has to know this way, so it is the one for clients that were made by hand.
            both = f"{quote(oauth.client_id, safe='')}:{quote(secret, safe='')}"
            return {"Authorization": f"Basic {base64.b64encode(both.encode()).decode()}"}, {}
