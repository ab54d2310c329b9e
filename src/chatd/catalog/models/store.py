"""The catalog as it is kept: read and changed past every cache. What people see and set goes through here.

A change is one transaction, and is announced after its commit: so every server forgets what it
remembered, and the next step goes by what is new. One change happens at a time, so that what was checked
is still true when it is written.
"""

from collections.abc import Callable
from typing import TypeVar

import msgspec
import structlog
from msgspec import UNSET, UnsetType

from chatd.catalog.audited import of_key, of_model, of_provider
from chatd.catalog.documents import DEFAULT_MODEL, DefaultModel, Documents
from chatd.catalog.keys.keys import Keys, OwnKey
from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.mcp.declared import NONE_DECLARED, DeclaredServers
from chatd.catalog.mcp.store import McpStore
from chatd.catalog.models import columns
from chatd.catalog.models.availability import choices
from chatd.catalog.models.declared import Declared
from chatd.catalog.models.inventory import Inventory, Stored
from chatd.catalog.models.lookup import (
    called_provider,
    declared_elsewhere,
    found_model,
    found_provider,
    stored_provider,
    usable,
)
from chatd.catalog.models.rows import ModelConfig, ModelId, Provider, ProviderId, Unreadable
from chatd.catalog.rules.checks import (
    leads_elsewhere,
    problem_of_key,
    problem_of_model,
    problem_of_provider,
    problem_of_reach,
    refuse,
    with_address,
)
from chatd.catalog.skills import Skills
from chatd.domain.ids import UserId
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditDeed
from chatd.errors import BadInput, LimitReached, NotAllowed, ProviderError, Refused
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection, Pace
from chatd.storage.tables.audit import record
from chatd.storage.transactions.transact import Store

log = structlog.get_logger()

T = TypeVar("T")

PROVIDERS_MAX = 100
MODELS_MAX = 1000

Edit = Callable[[T], T]

# What is wrong with a key, as the model that needs it is refused.
_KEY_CODES = {"missing_key": "missing_key", "config": "unreadable_key"}


class Unmet(Refused):
    """What is asked needs something else to be there, or to be switched on, first."""


class NotForUsers(Refused):
    """Users may see it, and it is not theirs to set."""


class CatalogStore:
    def __init__(
        self,
        store: Store,
        declared: Declared,
        secrets: Secrets,
        declared_servers: DeclaredServers = NONE_DECLARED,
    ) -> None:
        self.declared = declared
        self.mcp = McpStore(store, secrets, declared_servers)
        self.documents = Documents(store)
        self._store = store
        self.keys = Keys(store, declared, secrets)
        self.skills = Skills(store)
        # What was logged already. It is read many times, and one line is enough.
        self._logged: frozenset[Unreadable] = frozenset()

    def learn(self, declared: Declared) -> None:
        """What was found on this machine has changed."""
        self.declared = self.keys.declared = declared
        self._announce(CatalogKind.EVERYTHING, None)

    async def inventory(self) -> Inventory:
        """Everything, as it is now."""
        return await self._store.db.read(self._inventory)

    async def keyring(self, inventory: Inventory, user_id: UserId) -> dict[ProviderId, OwnKey]:
        """Which of the providers this user could pay for, one way or the other."""
        keys = await self.keys.own_keys(inventory.providers, user_id)
        return {each.provider.id: each for each in keys}

    async def read_provider(self, provider_id: ProviderId) -> Provider | Unreadable | None:
        """One provider as it is now; a deleted one is disabled."""
        for each in self.declared.providers:
            if each.id == provider_id:
                return each
        row = await self._store.db.read(lambda tx: tx.one("provider_of_id", provider_id), pace=Pace.ONE_QUERY)
        return columns.provider(row) if row is not None else None

    async def add_provider(
        self, provider: Provider, key: str | None, *, by: AskedBy = THE_SERVER
    ) -> Provider:
        """As it is kept, with a whole address."""
        provider = with_address(provider)
        refuse(
            problem_of_provider(provider) or problem_of_reach(provider),
            problem_of_key(key) if key is not None else None,
        )

        async def body(tx: Connection) -> None:
            inventory = await self._writing(tx)
            if len(inventory.providers) >= PROVIDERS_MAX:
                raise LimitReached("too_many_providers", "There are too many providers.", limit=PROVIDERS_MAX)
            if provider.name in inventory.provider_names:
                raise NotAllowed(
                    "duplicate_provider", f"There is a provider {provider.name!r} already.", field="name"
                )
            await tx.run(
                "insert_provider", *columns.columns_of_provider(provider, self.keys.sealed(provider, key))
            )
            entry = of_provider(AuditDeed.PROVIDER_CREATED, None, provider, has_new_key=key is not None)
            await record(tx, by, entry)

        await self._store.db.write(body)
        self._announce(CatalogKind.PROVIDERS, provider.id)
        return provider

    async def change_provider(
        self,
        provider_id: ProviderId,
        edit: Edit[Provider],
        *,
        key: str | UnsetType | None = UNSET,
        by: AskedBy = THE_SERVER,
    ) -> Provider:
        """The key is replaced, removed by None, or stays, unless it would now be sent somewhere else.

        Users' own keys go in that case: they were given for the old address.
        """

        async def body(tx: Connection) -> Provider:
            inventory = await self._writing(tx)
            before = stored_provider(inventory, provider_id)
            provider = with_address(edit(before))
            # What was no good before must not stand in the way of switching it off.
            is_as_before = problem_of_reach(provider) == problem_of_reach(before)
            refuse(
                problem_of_provider(provider),
                None
                if is_as_before and not leads_elsewhere(before, provider)
                else problem_of_reach(provider),
                problem_of_key(key) if isinstance(key, str) else None,
            )
            row = await tx.one("provider_of_id", provider_id)
            sealed = columns.sealed(row) if isinstance(key, UnsetType) else self.keys.sealed(provider, key)
            if leads_elsewhere(before, provider):
                if isinstance(key, UnsetType) and sealed is not None:
                    # A stored key can be read by no one here, so it is not sent to a new address either.
                    raise BadInput(
                        "key_needed",
                        "The key would be sent to another address.",
                        field="api_key",
                        hint="Give the key together with the new address, or null to remove it.",
                    )
                await tx.run("delete_user_keys_of_provider", provider_id)
            await tx.run("save_provider", *columns.changes_of_provider(provider, sealed))
            has_new_key = not isinstance(key, UnsetType)
            entry = of_provider(AuditDeed.PROVIDER_CHANGED, before, provider, has_new_key=has_new_key)
            await record(tx, by, entry)
            return provider

        changed = await self._store.db.write(body)
        self._announce(CatalogKind.PROVIDERS, provider_id)
        return changed

    async def delete_provider(self, provider_id: ProviderId, *, by: AskedBy = THE_SERVER) -> None:
        """Its keys are gone for good. Its models cannot be used any more."""

        async def body(tx: Connection) -> None:
            inventory = await self._writing(tx)
            before = inventory.unreadable_provider(provider_id) or stored_provider(inventory, provider_id)
            await tx.run("delete_provider", provider_id)
            await tx.run("delete_user_keys_of_provider", provider_id)
            await record(tx, by, of_provider(AuditDeed.PROVIDER_DELETED, before, None))

        await self._store.db.write(body)
        self._announce(CatalogKind.PROVIDERS, provider_id)

    async def add_model(
        self, model: ModelConfig, *, by: AskedBy = THE_SERVER
    ) -> tuple[ModelConfig, Inventory]:
        async def body(tx: Connection) -> Inventory:
            inventory = await self._writing(tx)
            provider = inventory.provider(model.provider_id)
            if provider is None or not provider.enabled:
                raise Unmet(
                    "provider_disabled" if provider else "provider_not_found",
                    "This provider is switched off." if provider else "There is no such provider.",
                    field="provider_id",
                    hint="GET /api/v1/providers lists them.",
                )
            refuse(problem_of_model(model, provider.type))
            if len(inventory.models) >= MODELS_MAX:
                raise LimitReached("too_many_models", "There are too many models.", limit=MODELS_MAX)
            name = f"{provider.name}/{model.model}"
            if name in inventory.model_names:
                raise NotAllowed("duplicate_model", f"{name} is there already.", field="model")
            await tx.run("insert_model", *columns.columns_of_model(model))
            if model.is_default:
                await self._choose(tx, inventory, model)
            await record(tx, by, of_model(AuditDeed.MODEL_CREATED, None, model))
            return await self._inventory(tx)

        after = await self._store.db.write(body)
        return self._announced(model.id, after), after

    async def change_model(
        self,
        model_id: ModelId,
        edit: Edit[ModelConfig],
        *,
        chosen: bool = False,
        by: AskedBy = THE_SERVER,
    ) -> tuple[ModelConfig, Inventory]:
        """Of a declared model only one thing can be changed: that it becomes the default.

        One that was `chosen` stays the default, where one that was only elected would give way to others.
        """

        async def body(tx: Connection) -> Inventory:
            inventory = await self._writing(tx)
            before = found_model(inventory, model_id)
            model = edit(before)
            provider = inventory.provider(before.provider_id)
            assert provider is not None
            if before.declared:
                if _but_for_default(model) != _but_for_default(before):
                    raise declared_elsewhere(inventory.name_of(before))
            else:
                refuse(problem_of_model(model, provider.type))
                await tx.run("save_model", *columns.changes_of_model(model))
            if model.is_default and (chosen or not before.is_default):
                await self._choose(tx, inventory, model)
            elif before.is_default and model.enabled and not model.is_default:
                raise BadInput(
                    "still_the_default",
                    "A model is the default until another one is.",
                    field="is_default",
                    hint="Make another model the default, or disable this one.",
                )
            await record(tx, by, of_model(AuditDeed.MODEL_CHANGED, before, model))
            return await self._inventory(tx)

        after = await self._store.db.write(body)
        return self._announced(model_id, after), after

    async def delete_model(self, model_id: ModelId, *, by: AskedBy = THE_SERVER) -> None:
        async def body(tx: Connection) -> str:
            inventory = await self._writing(tx)
            model = inventory.unreadable_model(model_id) or found_model(inventory, model_id)
            if isinstance(model, ModelConfig) and model.declared:
                raise declared_elsewhere(inventory.name_of(model))
            await tx.run("delete_model", model_id)
            await record(tx, by, of_model(AuditDeed.MODEL_DELETED, model, None))
            return inventory.name_of(model)

        self._announce(CatalogKind.MODEL, await self._store.db.write(body))

    async def admit(self, name: str | None, user_id: UserId, *, field: str = "model") -> str | None:
        """The full name of a model that this user can use now; None for the default stays None.

        Raises BadInput when there is none.
        """
        inventory = await self.inventory()
        model = inventory.named(name) if name is not None else inventory.default
        try:
            model = usable(inventory, model, name)
            provider = found_provider(inventory, model.provider_id)
            await self.keys.key_for(provider, user_id)
        except (Refused, ProviderError) as error:
            code = error.code if isinstance(error, Refused) else _KEY_CODES[error.kind]
            # Only after a refusal: a good choice need not wait for the list of other models.
            hint = choices(inventory, await self.keyring(inventory, user_id))
            raise BadInput(code, error.message, field=field, hint=hint) from error
        return inventory.name_of(model) if name is not None else None

    async def set_own_key(self, wanted: str, user_id: UserId, key: str, *, by: AskedBy = THE_SERVER) -> None:
        """Keep a user's own key for the provider of this id or name.

        Looked up and kept in one transaction: a provider that is deleted or changed meanwhile takes the key
        with it, or is gone before the key comes.
        """

        async def body(tx: Connection) -> None:
            provider = called_provider(await self._writing(tx), wanted)
            if not provider.enabled:
                raise Unmet("provider_disabled", f"The provider {provider.name} is switched off.")
            if not provider.user_keys_allowed:
                raise NotForUsers(
                    "own_keys_not_allowed", f"{provider.name} is used with the server's key alone."
                )
            await self.keys.save_own_key(tx, provider, user_id, key)
            await record(tx, by, of_key(AuditDeed.KEY_PUT, provider, user_id))

        await self._store.db.write(body)

    async def _writing(self, tx: Connection) -> Inventory:
        await tx.all("one_catalog_writer")
        return await self._inventory(tx)

    async def _inventory(self, tx: Connection) -> Inventory:
        rows = await tx.all("all_providers")
        providers = [columns.provider(row) for row in rows if not columns.is_deleted(row)]
        models = [columns.model(row) for row in await tx.all("all_models")]
        choice = await self._choice(tx)
        stored = Stored(
            providers=tuple(each for each in providers if isinstance(each, Provider)),
            former=dict(columns.name_of(row) for row in rows if columns.is_deleted(row)),
            models=tuple(each for each in models if isinstance(each, ModelConfig)),
            unreadable_providers=tuple(each for each in providers if isinstance(each, Unreadable)),
            unreadable_models=tuple(each for each in models if isinstance(each, Unreadable)),
            # One that cannot be read is none: another is elected, as if none had been chosen.
            default=choice.model_id if isinstance(choice, DefaultModel) else None,
        )
        self._log(stored, choice)
        return Inventory(self.declared, stored)

    async def _choice(self, tx: Connection) -> DefaultModel | Unreadable:
        try:
            return await self.documents.read_in(tx, DEFAULT_MODEL, DefaultModel)
        except msgspec.MsgspecError as error:
            return Unreadable(id=DEFAULT_MODEL, name=DEFAULT_MODEL, reason=str(error))

    def _log(self, stored: Stored, choice: DefaultModel | Unreadable) -> None:
        unreadable = frozenset((*stored.unreadable_providers, *stored.unreadable_models))
        if isinstance(choice, Unreadable):
            unreadable |= {choice}
        for each in unreadable - self._logged:
            log.error("catalog.row_unreadable", id=each.id, name=each.name, reason=each.reason)
        self._logged = unreadable

    async def _choose(self, tx: Connection, inventory: Inventory, model: ModelConfig) -> None:
        provider = inventory.provider(model.provider_id)
        if not model.enabled:
            raise BadInput("model_disabled", "A model that is switched off cannot be the default.")
        if provider is None or not provider.enabled:
            raise Unmet("provider_disabled", "The provider of this model is switched off.")
        fixed = inventory.default if inventory.default_is_fixed else None
        if fixed is not None and fixed.id != model.id:
            raise NotAllowed(
                "declared",
                f"The settings file says that {inventory.name_of(fixed)} is the default.",
                field="is_default",
                hint="Take `default = true` out of its [[models]] table.",
            )
        await tx.run("save_setting", DEFAULT_MODEL, encode_text(DefaultModel(model_id=model.id)))

    def _announced(self, model_id: ModelId, after: Inventory) -> ModelConfig:
        model = found_model(after, model_id)
        self._announce(CatalogKind.MODEL, after.name_of(model))
        return model

    def _announce(self, kind: CatalogKind, entity: str | None) -> None:
        # After the commit, never before: who looks again too early would remember what was.
        self._store.hints.announce(CatalogChanged(kind=kind, entity=entity))


def _but_for_default(model: ModelConfig) -> ModelConfig:
    return columns.with_default(model, is_default=False)
