"""Keys of providers, and users' own: sealed in the database, or outside of it.

They are read every time they are used, and remembered nowhere: a key that was taken back is not used again.
"""

import asyncio
from collections.abc import Iterable

import structlog
from msgspec import Struct

from chatd.catalog.audited import of_key
from chatd.catalog.keys.secrets import Secrets, masked, provider_place, user_place
from chatd.catalog.models import columns
from chatd.catalog.models.declared import Declared, KeyFile
from chatd.catalog.models.rows import Provider
from chatd.catalog.rules.checks import needs_key, problem_of_key, refuse
from chatd.domain.ids import UserId
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditDeed
from chatd.errors import ProviderError, Unusable
from chatd.storage.database import Connection, Pace
from chatd.storage.tables.audit import record
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()


class OwnKey(Struct, frozen=True, kw_only=True):
    """What a user's own key for a provider is, without the key."""

    provider: Provider
    has_user_key: bool
    has_provider_key: bool


class Keys:
    def __init__(self, store: Store, declared: Declared, secrets: Secrets) -> None:
        self._store = store
        self.declared = declared
        self._secrets = secrets

    async def key_for(self, provider: Provider, user_id: UserId | None) -> str | None:
        """The key to call this provider with: the user's own where that is allowed, else the provider's.

        None where none is needed. Read every time: a key that was taken back is not used again. Raises
        ProviderError when there is none, or when it cannot be read.
        """
        try:
            key = await self._own_key(provider, user_id) or await self._provider_key(provider)
        except Unusable as error:
            # How to mend it is for the operator, who reads the log.
            log.error("key.unreadable", provider=provider.name, error=str(error))  # noqa: TRY400
            raise ProviderError("config", _unreadable(provider), provider=provider.name) from error
        if key is None and needs_key(provider):
            raise ProviderError("missing_key", _missing(provider), provider=provider.name)
        return key

    async def shown_key(self, provider: Provider) -> str | None:
        """What may be seen of the provider's key; None when it has none."""
        try:
            key = await self._provider_key(provider)
        except Unusable:
            return masked("")
        return masked(key) if key is not None else None

    async def own_keys(self, providers: Iterable[Provider], user_id: UserId) -> list[OwnKey]:
        """For each of these providers, in their order."""
        rows = await self._store.db.read(lambda tx: tx.all("user_keys", user_id))
        own = {row[0] for row in rows}
        return [
            OwnKey(
                provider=each,
                has_user_key=each.id in own,
                has_provider_key=await self._has_provider_key(each),
            )
            for each in providers
        ]

    async def save_own_key(self, tx: Connection, provider: Provider, user_id: UserId, key: str) -> None:
        """In a transaction that has made sure of the provider."""
        refuse(problem_of_key(key))
        sealed = self._secrets.seal(key, place=user_place(user_id, provider.id))
        await tx.run("save_user_key", user_id, provider.id, sealed)

    async def delete_own_key(self, provider: Provider, user_id: UserId, *, by: AskedBy = THE_SERVER) -> None:
        async def body(tx: Connection) -> None:
            await tx.run("delete_user_key", user_id, provider.id)
            await record(tx, by, of_key(AuditDeed.KEY_REMOVED, provider, user_id))

        await self._store.db.write(body)

    async def check_secrets(self) -> None:
        """Raises Misconfigured when there are keys that this server cannot open."""
        for (sealed,) in await self._store.db.read(lambda tx: tx.all("sealed_keys")):
            self._secrets.check(sealed)

    async def forget_unreadable_keys(self) -> None:
        ours = f"{self._secrets.mark}%"

        async def body(tx: Connection) -> None:
            await tx.run("forget_provider_keys", ours)
            await tx.run("forget_user_keys", ours)
            for sealed in ("secrets", "grants", "sign_ins"):
                await tx.run(f"forget_mcp_{sealed}", ours)

        await self._store.db.write(body)

    def sealed(self, provider: Provider, key: str | None) -> str | None:
        return self._secrets.seal(key, place=provider_place(provider.id)) if key is not None else None

    async def _own_key(self, provider: Provider, user_id: UserId | None) -> str | None:
        if user_id is None or not provider.user_keys_allowed:
            return None
        row = await self._store.db.read(
            lambda tx: tx.one("user_key", user_id, provider.id), pace=Pace.ONE_QUERY
        )
        return self._secrets.open(row[0], place=user_place(user_id, provider.id)) if row is not None else None

    async def _has_provider_key(self, provider: Provider) -> bool:
        try:
            return await self._provider_key(provider) is not None
        except Unusable:
            # One that cannot be read is of no use.
            return False

    async def _provider_key(self, provider: Provider) -> str | None:
        if provider.declared:
            source = self.declared.keys.get(provider.id)
            if isinstance(source, KeyFile):
                return await asyncio.to_thread(source.read)
            return source.read() if source is not None else None
        row = await self._store.db.read(lambda tx: tx.one("provider_of_id", provider.id), pace=Pace.ONE_QUERY)
        sealed = columns.sealed(row)
        return self._secrets.open(sealed, place=provider_place(provider.id)) if sealed is not None else None


def _unreadable(provider: Provider) -> str:
    shown = provider.display_name or provider.name
    return f"The key of {shown} cannot be read. An administrator finds the reason in the server's log."


def _missing(provider: Provider) -> str:
    """For members: who has to set it and with what, and nothing of where the operator keeps keys."""
    shown = provider.display_name or provider.name
    how = "in chatd.toml" if provider.declared else f"with `chatd model key {provider.name}`"
    if provider.user_keys_allowed:
        return f"{shown} has no key. Enter your own, or ask an administrator to set one {how}."
    return f"{shown} has no key. An administrator sets one {how}."
