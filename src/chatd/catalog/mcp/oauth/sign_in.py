"""Signing in: a user is sent to the authorization server, comes back with a code, and confirms it.

The browser that comes back shows us no token: we know it by the `state` alone, which is random, used once,
kept as a hash, and bound to a user, a server and its version. That is enough against a forged return, and
not against a lure: a user could send the address that was made for them to another person, whose account
would then be connected to the user's chats. So the browser is shown a code, and the tokens are kept for the
user only when they repeat it, with their own token (decision 0035).
"""

import hashlib
import hmac
import secrets as randomness
from collections.abc import Mapping
from enum import Enum, auto

from msgspec import Struct

from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.mcp.config import McpConfig, McpServerId
from chatd.catalog.mcp.oauth.grants import Grants
from chatd.catalog.mcp.oauth.token_endpoint import NotGranted, TokenEndpoint, Tokens
from chatd.catalog.mcp.store import McpStore
from chatd.domain.ids import SECOND, UserId
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.kit.codec import Decoder, encode_text
from chatd.kit.outbound.pkce import S256, challenge_of, with_parameters
from chatd.kit.text import one_line, shortened
from chatd.storage.database import Connection, Row
from chatd.storage.transactions.transact import Store

SIGN_IN_SECONDS = 600
STATE_BYTES = 32
VERIFIER_BYTES = 64
# Without vowels and what is mistaken for others, as RFC 8628 advises: 20 ** 8 codes, for five tries.
CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH = 8
TRIES_MAX = 5
ERROR_LENGTH_MAX = 100

AGAIN = "Begin again, in the settings or with `chatd mcp connect`."


class Returned(Struct, frozen=True, kw_only=True):
    """What a browser comes back with. All of it may be anything."""

    state: str = ""
    code: str = ""
    issuer: str = ""
    error: str = ""


class _Begun(Struct, frozen=True, kw_only=True):
    """Sealed while the user is away."""

    verifier: str


class _Outcome(Enum):
    CONNECTED = auto()
    NOT_BEGUN = auto()
    NOT_BACK = auto()
    WRONG_CODE = auto()
    TOO_MANY_TRIES = auto()
    CHANGED = auto()


_begun = Decoder(_Begun)
_tokens = Decoder(Tokens)


class SignIns:
    def __init__(
        self,
        store: Store,
        mcp_store: McpStore,
        grants: Grants,
        endpoint: TokenEndpoint,
        secrets: Secrets,
        *,
        public_url: str,
    ) -> None:
        self._store = store
        self._mcp_store = mcp_store
        self._grants = grants
        self._endpoint = endpoint
        self._secrets = secrets
        self._public_url = public_url.rstrip("/")

    def redirect_uri(self, server_id: McpServerId) -> str:
        return f"{self._public_url}/mcp/servers/{server_id}/oauth2/callback"

    async def begin(self, config: McpConfig, user_id: UserId) -> str:
        """The address that the user opens. A sign-in that was begun before is given up."""
        oauth = config.oauth
        assert oauth is not None
        state, verifier = randomness.token_urlsafe(STATE_BYTES), randomness.token_urlsafe(VERIFIER_BYTES)
        sealed = self._sealed(config.id, user_id, _Begun(verifier=verifier))

        async def body(tx: Connection) -> None:
            await tx.run("delete_expired_mcp_sign_ins")
            await tx.run(
                "begin_mcp_sign_in",
                config.id,
                user_id,
                config.version,
                _hashed(state),
                sealed,
                SIGN_IN_SECONDS * SECOND,
            )

        await self._store.db.write(body)
        asked = {
            "response_type": "code",
            "client_id": oauth.client_id,
            "redirect_uri": self.redirect_uri(config.id),
            "state": state,
            "code_challenge": challenge_of(verifier),
            "code_challenge_method": S256,
            **({"scope": oauth.scopes} if oauth.scopes else {}),
            **({"resource": oauth.resource} if oauth.resource else {}),
        }
        return with_parameters(oauth.auth_url, asked)

    async def come_back(self, server_id: McpServerId, returned: Returned) -> str:
        """The code that the user has to repeat. Raises BadInput, NotFound, and NotAllowed after a change."""
        taken = await self._taken(server_id, returned.state)
        if taken is None:
            raise BadInput(
                "unknown_state",
                "This sign-in is not known, is over already, or has taken longer than 10 minutes.",
                field="state",
                hint=AGAIN,
            )
        user_id, version, sealed = UserId(taken[0]), taken[1], taken[2]
        config = await self._mcp_store.config(server_id)
        if config is None or config.oauth is None:
            raise NotFound("mcp_server_not_found", "This MCP server is gone.")
        if config.version != version:
            raise _changed()
        if returned.error or not returned.code:
            said = shortened(one_line(returned.error), ERROR_LENGTH_MAX) or "no code came back"
            raise BadInput("sign_in_refused", f"The sign-in was refused there ({said}).", hint=AGAIN)
        if returned.issuer and config.oauth.issuer and returned.issuer != config.oauth.issuer:
            raise BadInput(
                "wrong_issuer", "The answer comes from another authorization server.", field="iss", hint=AGAIN
            )
        tokens = await self._tokens_for(config, user_id, returned.code, sealed)
        code = "".join(randomness.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        kept = self._sealed(server_id, user_id, tokens)
        await self._store.db.write(
            lambda tx: tx.run("keep_mcp_tokens", server_id, user_id, sealed, _hashed(code), kept)
        )
        half = CODE_LENGTH // 2
        return f"{code[:half]}-{code[half:]}"

    async def finish(self, config: McpConfig, user_id: UserId, code: str) -> None:
        """Connect the user, who has repeated the code. Raises BadInput, and NotAllowed after a change."""
        given = _hashed("".join(filter(str.isalpha, code.upper())))

        async def body(tx: Connection) -> _Outcome:
            row = await tx.one("mcp_sign_in", config.id, user_id)
            outcome = _outcome(row, config, given)
            match outcome:
                case _Outcome.CONNECTED:
                    assert row is not None
                    await self._grants.keep(tx, config, user_id, self._opened(config.id, user_id, row[3]))
                    await tx.run("delete_mcp_sign_in", config.id, user_id)
                case _Outcome.WRONG_CODE:
                    await tx.run("count_mcp_try", config.id, user_id)
                case _Outcome.TOO_MANY_TRIES | _Outcome.CHANGED:
                    await tx.run("delete_mcp_sign_in", config.id, user_id)
                case _Outcome.NOT_BEGUN | _Outcome.NOT_BACK:
                    pass
            return outcome

        outcome = await self._store.db.write(body)
        if outcome is _Outcome.CHANGED:
            raise _changed()
        if outcome is not _Outcome.CONNECTED:
            code_of_error, message, hint = _REFUSALS[outcome]
            raise BadInput(code_of_error, message, field="code", hint=hint)

    async def _taken(self, server_id: McpServerId, state: str) -> Row | None:
        if not state:
            return None
        return await self._store.db.write(lambda tx: tx.one("take_mcp_state", _hashed(state), server_id))

    async def _tokens_for(self, config: McpConfig, user_id: UserId, code: str, sealed: str) -> Tokens:
        begun = _begun.decode(self._secrets.open(sealed, place=_place(config.id, user_id)))
        opened = await self._mcp_store.opened(config)
        if opened is None or opened.config.version != config.version:
            raise _changed()
        try:
            return await self._endpoint.for_code(
                config,
                opened.secrets,
                code=code,
                verifier=begun.verifier,
                redirect_uri=self.redirect_uri(config.id),
            )
        except NotGranted as error:
            raise BadInput(
                "sign_in_failed", f"The authorization server was asked for a token, and {error}.", hint=AGAIN
            ) from None

    def _sealed(self, server_id: McpServerId, user_id: UserId, value: _Begun | Tokens) -> str:
        return self._secrets.seal(encode_text(value), place=_place(server_id, user_id))

    def _opened(self, server_id: McpServerId, user_id: UserId, sealed: str) -> Tokens:
        return _tokens.decode(self._secrets.open(sealed, place=_place(server_id, user_id)))


def _outcome(row: Row | None, config: McpConfig, given: str) -> _Outcome:
    """The order is the policy."""
    if row is None:
        return _Outcome.NOT_BEGUN
    version, code, tries, _ = row
    if version != config.version:
        return _Outcome.CHANGED
    if code is None:
        return _Outcome.NOT_BACK
    if hmac.compare_digest(code, given):
        return _Outcome.CONNECTED
    return _Outcome.TOO_MANY_TRIES if tries + 1 >= TRIES_MAX else _Outcome.WRONG_CODE


_REFUSALS: Mapping[_Outcome, tuple[str, str, str]] = {
    _Outcome.NOT_BEGUN: ("no_sign_in", "There is no sign-in to finish.", AGAIN),
    _Outcome.NOT_BACK: (
        "not_signed_in",
        "You have not come back from the sign-in yet.",
        "Open the address, sign in, and enter the code that the browser shows then.",
    ),
    _Outcome.WRONG_CODE: ("wrong_code", "This is not the code.", "Enter it as the browser shows it."),
    _Outcome.TOO_MANY_TRIES: ("too_many_codes", f"This was wrong {TRIES_MAX} times.", AGAIN),
}


def _changed() -> NotAllowed:
    return NotAllowed(
        "changed_meanwhile", "The MCP server was changed while you signed in. Nothing was kept.", hint=AGAIN
    )


def _hashed(text: str) -> str:
    """A plain hash is enough: a state is random, and a code is of no use without a user's token."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _place(server_id: McpServerId, user_id: UserId) -> str:
    return f"mcp/{server_id}/user/{user_id}/sign-in"
