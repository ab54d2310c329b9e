"""What users were given at MCP servers, as it is kept: sealed, one for each user and server."""

import structlog
from msgspec import Struct

from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.mcp.config import McpConfig, McpServerId
from chatd.catalog.mcp.oauth.token_endpoint import Tokens
from chatd.domain.ids import UserId
from chatd.errors import Unusable
from chatd.kit.codec import Decoder, encode_text
from chatd.kit.ids import new_id
from chatd.storage.database import Connection, Pace, Row
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()

_tokens = Decoder(Tokens)


class Grant(Struct, frozen=True, kw_only=True):
    server_id: McpServerId
    user_id: UserId
    # Of the server: with another one the grant is of no use.
    version: int
    # Another one with every refresh.
    serial: str
    sealed: str
    # By the authorization server, for good.
    refused: bool

    def is_for(self, config: McpConfig) -> bool:
        """Whether it was given for the server as it is now, and not taken back."""
        return self.version == config.version and not self.refused

    def __repr__(self) -> str:
        return f"Grant({self.server_id!r}, {self.user_id!r})"


class Grants:
    def __init__(self, store: Store, secrets: Secrets) -> None:
        self._store = store
        self._secrets = secrets

    async def of_user(self, user_id: UserId) -> dict[McpServerId, Grant]:
        rows = await self._store.db.read(lambda tx: tx.all("mcp_grants_of_user", user_id), pace=Pace.QUICK)
        return {row[0]: _grant(row, user_id) for row in rows}

    async def of(self, server_id: McpServerId, user_id: UserId) -> Grant | None:
        row = await self._store.db.read(
            lambda tx: tx.one("mcp_grant", server_id, user_id), pace=Pace.ONE_QUERY
        )
        return _grant(row, user_id) if row is not None else None

    def tokens(self, grant: Grant) -> Tokens | None:
        """None where they cannot be unsealed; then the user has to sign in again."""
        try:
            return _tokens.decode(
                self._secrets.open(grant.sealed, place=_place(grant.server_id, grant.user_id))
            )
        except Unusable as error:
            log.error("mcp_grant.unreadable", server=grant.server_id, error=str(error))  # noqa: TRY400
            return None

    async def keep(self, tx: Connection, config: McpConfig, user_id: UserId, tokens: Tokens) -> None:
        """In the transaction that ends a sign-in. One of before is replaced."""
        sealed = self._sealed(config.id, user_id, tokens)
        await tx.run("insert_mcp_grant", config.id, user_id, config.version, new_id(), sealed)

    async def renew(self, grant: Grant, tokens: Tokens) -> bool:
        """Whether it was still the one that there is; otherwise nothing is changed."""
        sealed = self._sealed(grant.server_id, grant.user_id, tokens)
        row = await self._store.db.write(
            lambda tx: tx.one(
                "renew_mcp_grant", grant.server_id, grant.user_id, grant.serial, new_id(), sealed
            )
        )
        return row is not None

    async def refuse(self, grant: Grant) -> None:
        """The authorization server has taken it back."""
        await self._store.db.write(
            lambda tx: tx.run("refuse_mcp_grant", grant.server_id, grant.user_id, grant.serial)
        )

    async def take(self, server_id: McpServerId, user_id: UserId) -> Grant | None:
        """Delete it, and a sign-in that is under way. What there was."""

        async def body(tx: Connection) -> Row | None:
            await tx.run("delete_mcp_sign_in", server_id, user_id)
            return await tx.one("delete_mcp_grant", server_id, user_id)

        row = await self._store.db.write(body)
        return _grant(row, user_id) if row is not None else None

    def _sealed(self, server_id: McpServerId, user_id: UserId, tokens: Tokens) -> str:
        return self._secrets.seal(encode_text(tokens), place=_place(server_id, user_id))


def _grant(row: Row, user_id: UserId) -> Grant:
    server_id, version, serial, sealed, refused = row
    return Grant(
        server_id=server_id,
        user_id=user_id,
        version=version,
        serial=serial,
        sealed=sealed,
        refused=bool(refused),
    )


def _place(server_id: McpServerId, user_id: UserId) -> str:
    return f"mcp/{server_id}/user/{user_id}"
