"""MCP servers as they are kept: read and changed past every cache.

A change is one transaction, and is announced after its commit. One change of the catalog happens at a time,
so that what was checked is still true when it is written.
"""

from collections.abc import Collection, Mapping, Sequence

import structlog
from msgspec import Struct

from chatd.catalog.audited import of_mcp_server
from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.mcp import columns
from chatd.catalog.mcp.columns import StoredServer
from chatd.catalog.mcp.config import (
    NO_SECRETS,
    McpConfig,
    McpSecrets,
    McpServerId,
    Scope,
    UnreadableServer,
)
from chatd.catalog.mcp.declared import NONE_DECLARED, DeclaredServers
from chatd.catalog.mcp.inventory import McpInventory
from chatd.domain.ids import UserId
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditDeed
from chatd.errors import LimitReached, NotAllowed, Unusable
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.codec import Decoder, encode_text
from chatd.storage.database import Connection, Pace, Row
from chatd.storage.tables.audit import record
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()

SERVERS_MAX = 100
SERVERS_PER_USER_MAX = 20

_secrets = Decoder(McpSecrets)


class Opened(Struct, frozen=True, kw_only=True):
    """A stored server with its secrets, as it was at one moment."""

    config: McpConfig
    secrets: McpSecrets
    revision: int


class Snapshot(Struct, frozen=True, kw_only=True):
    """The servers of a user, and what is sealed beside them, as they were at one moment."""

    inventory: McpInventory
    sealed: Mapping[McpServerId, str]


class McpStore:
    def __init__(self, store: Store, secrets: Secrets, declared: DeclaredServers = NONE_DECLARED) -> None:
        self.declared = declared
        self._store = store
        self._secrets = secrets
        # What was logged already. It is read many times, and one line is enough.
        self._logged: frozenset[UnreadableServer] = frozenset()

    async def inventory(self, user_id: UserId) -> McpInventory:
        """The servers for all users, and this user's own, as they are now."""
        return (await self.snapshot(user_id)).inventory

    async def snapshot(self, user_id: UserId) -> Snapshot:
        db = self._store.db
        rows = await db.read(lambda tx: tx.all("mcp_servers_for", user_id), pace=Pace.ONE_LONG_QUERY)
        stored = [columns.stored(row) for row in rows]
        member_of: Sequence[Row] = ()
        if any(isinstance(each.server, McpConfig) and each.server.groups is not None for each in stored):
            member_of = await db.read(lambda tx: tx.all("group_ids_of_user", user_id), pace=Pace.ONE_QUERY)
        return self._snapshot(stored, [group_id for (group_id,) in member_of])

    async def has_any_for_groups(self) -> bool:
        found = await self._store.db.read(lambda tx: tx.one("mcp_server_for_groups"), pace=Pace.ONE_QUERY)
        return found is not None

    async def secrets_of(self, config: McpConfig, snapshot: Snapshot) -> McpSecrets | None:
        """None where they cannot be unsealed; what to do about it is for the operator, who reads the log."""
        if config.declared:
            return await self.declared.secrets_of(config.id)
        try:
            return self._unsealed(config.id, snapshot.sealed.get(config.id))
        except Unusable as error:
            log.error("mcp_server.secrets_unreadable", id=config.id, slug=config.slug, error=str(error))  # noqa: TRY400
            return None

    async def config(self, server_id: McpServerId) -> McpConfig | None:
        """Any server, whose ever it is; None when it is gone or cannot be read."""
        for each in self.declared.servers:
            if each.id == server_id:
                return each
        row = await self._store.db.read(lambda tx: tx.one("mcp_server_of_id", server_id), pace=Pace.ONE_QUERY)
        server = columns.server(row) if row is not None else None
        return server if isinstance(server, McpConfig) else None

    async def opened(self, config: McpConfig) -> Opened | None:
        """The server with its secrets, as it is now; None when it is gone.

        Raises Unusable when they cannot be unsealed.
        """
        if config.declared:
            secrets = await self.declared.secrets_of(config.id)
            return Opened(config=config, secrets=secrets, revision=0)
        row = await self._store.db.read(lambda tx: tx.one("mcp_server_of_id", config.id), pace=Pace.ONE_QUERY)
        return self._opened(columns.stored(row)) if row is not None else None

    async def add(self, config: McpConfig, secrets: McpSecrets, *, by: AskedBy = THE_SERVER) -> None:
        """Raises NotAllowed when its slug is taken, and LimitReached."""

        async def body(tx: Connection) -> None:
            await tx.all("one_catalog_writer")
            rows = await tx.all("mcp_servers_for", config.owner_id or UserId(""))
            inventory = self._snapshot([columns.stored(row) for row in rows]).inventory
            if config.slug in inventory.slugs:
                raise NotAllowed(
                    "duplicate_slug",
                    f"There is an MCP server {config.slug!r} already.",
                    field="slug",
                    hint="Take another slug, or remove the server first.",
                )
            count = sum(each.owner_id == config.owner_id for each in inventory.servers)
            limit = SERVERS_MAX if config.scope is Scope.DEPLOYMENT else SERVERS_PER_USER_MAX
            if count >= limit:
                raise LimitReached("too_many_mcp_servers", "There are too many MCP servers.", limit=limit)
            await tx.run("insert_mcp_server", *columns.columns_of(config, self._sealed(config, secrets)))
            if config.scope is Scope.DEPLOYMENT:
                has_secrets = config.has_secrets
                entry = of_mcp_server(AuditDeed.MCP_SERVER_CREATED, None, config, has_new_secrets=has_secrets)
                await record(tx, by, entry)

        await self._store.db.write(body)
        self._announce(config.owner_id)

    async def save(
        self, before: Opened, config: McpConfig, secrets: McpSecrets, *, by: AskedBy = THE_SERVER
    ) -> None:
        """Raises NotAllowed when it was changed since it was opened.

        Sign-ins of before go, where they were made for something else.
        """

        async def body(tx: Connection) -> None:
            changes = columns.changes_of(config, self._sealed(config, secrets), revision=before.revision)
            if await tx.one("save_mcp_server", *changes) is None:
                raise NotAllowed(
                    "changed_meanwhile",
                    "This MCP server was changed or deleted at the same moment.",
                    hint="Look at it, and try again.",
                )
            if config.version != before.config.version:
                # A sign-in that is under way stays, and is told what has happened.
                await tx.run("delete_mcp_grants_of_server", config.id)
            if config.scope is Scope.DEPLOYMENT:
                entry = of_mcp_server(
                    AuditDeed.MCP_SERVER_CHANGED,
                    before.config,
                    config,
                    has_new_secrets=secrets != before.secrets,
                )
                await record(tx, by, entry)

        await self._store.db.write(body)
        self._announce(config.owner_id)

    async def delete(self, server: McpConfig | UnreadableServer, *, by: AskedBy = THE_SERVER) -> None:
        """With its secrets, and those of all users who have signed in there."""

        async def body(tx: Connection) -> None:
            await tx.run("delete_mcp_server", server.id)
            await tx.run("delete_mcp_grants_of_server", server.id)
            await tx.run("delete_mcp_sign_ins_of_server", server.id)
            if server.owner_id is None:
                await record(tx, by, of_mcp_server(AuditDeed.MCP_SERVER_DELETED, server, None))

        await self._store.db.write(body)
        self._announce(server.owner_id)

    def _opened(self, row: StoredServer) -> Opened | None:
        if isinstance(row.server, UnreadableServer):
            return None
        secrets = self._unsealed(row.server.id, row.sealed)
        return Opened(config=row.server, secrets=secrets, revision=row.revision)

    def _unsealed(self, server_id: McpServerId, sealed: str | None) -> McpSecrets:
        if sealed is None:
            return NO_SECRETS
        return _secrets.decode(self._secrets.open(sealed, place=_place(server_id)))

    def _sealed(self, config: McpConfig, secrets: McpSecrets) -> str | None:
        if not config.has_secrets:
            return None
        return self._secrets.seal(encode_text(secrets), place=_place(config.id))

    def _snapshot(self, rows: Sequence[StoredServer], member_of: Collection[str] = ()) -> Snapshot:
        inventory = McpInventory(self.declared.servers, [row.server for row in rows], member_of)
        unreadable = frozenset(inventory.unreadable)
        for each in unreadable - self._logged:
            log.error("mcp_server.unreadable", id=each.id, slug=each.slug, reason=each.reason)
        self._logged |= unreadable
        sealed = {row.server.id: row.sealed for row in rows if row.sealed is not None}
        return Snapshot(inventory=inventory, sealed=sealed)

    def _announce(self, owner_id: UserId | None) -> None:
        # After the commit, never before: who looks again too early would remember what was.
        self._store.hints.announce(CatalogChanged(kind=CatalogKind.MCP_SERVERS, entity=owner_id))


def _place(server_id: McpServerId) -> str:
    return f"mcp/{server_id}"
