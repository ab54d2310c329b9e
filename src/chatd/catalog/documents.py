"""Settings that are changed while the server runs: small JSON documents with names."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.audited import of_setting
from chatd.catalog.models.learned_limits import LearnedLimits
from chatd.catalog.rules.prompts import cleaned
from chatd.domain.ids import UserId
from chatd.domain.message import Effort
from chatd.domain.people.audit import THE_SERVER, AskedBy
from chatd.errors import LimitReached
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.codec import Decoder, encode_text
from chatd.storage.database import Connection, Pace
from chatd.storage.tables.audit import record
from chatd.storage.transactions.transact import Store

D = TypeVar("D", bound=Struct)

DEFAULT_MODEL = "default_model"
PROMPT = "prompt"
BASE_PROMPT = "base_prompt"
PLAN_PROMPT = "plan_prompt"
ADVISOR = "advisor"
COMPACTION = "compaction"
DEBUG_RECORDS = "debug_records"
SUBAGENTS = "subagents"
CONTEXT_LIMITS = "context_limits"
TEXTS = "texts"
PROMPTS = frozenset({PROMPT, BASE_PROMPT, PLAN_PROMPT})

# Models for which a user can have a threshold.
THRESHOLDS_MAX = 200


class DefaultModel(Struct, frozen=True, kw_only=True, omit_defaults=True):
    model_id: str | None = None


class PromptDocument(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every chat begins with, every chat of a user, or every chat that plans."""

    text: str = ""


class BasePrompt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Instead of what chatd tells every model first. None: chatd's own words; empty: nothing."""

    text: str | None = None


class Advisor(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a second model gives advice to agents.

    A limit of zero is none of uses, and the usual one of tokens. None: the chat's model, as it usually is.
    Bounds are checked when it is saved; one who reads it copes with any number.
    """

    enabled: bool = False
    max_uses_per_turn: int = 0
    max_output_tokens: int = 0
    model: str | None = None
    reasoning_effort: Effort | None = None
    # Also to agents that work for other agents.
    for_children: bool = False


class Compaction(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The summarizer of long conversations. None: the chat's own model."""

    model: str | None = None


class ChildModel(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model for chats that work for others. None: the model's own effort."""

    model: str
    reasoning_effort: Effort | None = None


class Subagents(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which model chats have that work for others, by their type. None: that of the chat they work for."""

    general: ChildModel | None = None
    explore: ChildModel | None = None
    # Whether chats can have others work for them at all.
    enabled: bool = True
    # Whether users may choose for their own chats.
    own_allowed: bool = False


# Of a user: the model of the chat, or what counts for all users.
Followed: TypeAlias = Literal["chat", "deployment"]


class OwnSubagents(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a user has chosen."""

    general: ChildModel | Followed = "deployment"
    explore: ChildModel | Followed = "deployment"


class OwnCompaction(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """At which share of a model's context, in percent, a user wants histories summarized; by its name.

    Bounds are as above.
    """

    thresholds: dict[str, int] = {}
    # What we guess of the limits of models, from prompts of this user that were refused.
    guesses: LearnedLimits = LearnedLimits()


class DebugRecords(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whether users may have their chats recorded, for debugging."""

    allowed: bool = False


class Texts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which texts about chats models write, and which model does. None: the chat's own model."""

    model: str | None = None
    titles: bool = True
    # Off unless it is wanted: it is a paid call for each turn, of whatever model the chat has.
    turn_labels: bool = False
    summaries: bool = True


class OwnModel(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which model a user's new chats have. None: that of the deployment."""

    model: str | None = None


class OwnDebugRecords(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whether a user wants that."""

    chosen: bool = False


class Documents:
    """A document that is not stored yet has its defaults."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(self, name: str, type_: type[D]) -> D:
        """Raises msgspec.DecodeError when what is stored is not such a document."""
        return await self._store.db.read(lambda tx: self.read_in(tx, name, type_), pace=Pace.ONE_QUERY)

    async def read_in(self, tx: Connection, name: str, type_: type[D]) -> D:
        row = await tx.one("setting", name)
        return Decoder(type_).decode(row[0]) if row is not None else msgspec.convert({}, type_)

    async def save(self, name: str, document: Struct, *, by: AskedBy = THE_SERVER) -> None:
        await self.save_all({name: document}, by=by)

    async def change(self, name: str, type_: type[D], change: Callable[[D], D | None]) -> None:
        """Read and save in one transaction; None leaves it as it is."""

        async def body(tx: Connection) -> bool:
            changed = change(await self.read_in(tx, name, type_))
            if changed is not None:
                await tx.run("save_setting", name, encode_text(changed))
            return changed is not None

        if await self._store.db.write(body):
            self._store.hints.announce(CatalogChanged(kind=CatalogKind.SETTING, entity=name))

    async def save_all(self, documents: Mapping[str, Struct], *, by: AskedBy = THE_SERVER) -> None:
        """All of them or none."""

        async def body(tx: Connection) -> None:
            # In one order, so that two at once do not wait for each other.
            for name, document in sorted(documents.items()):
                before = await self._before(tx, name, type(document))
                await tx.run("save_setting", name, encode_text(document))
                await record(tx, by, of_setting(name, before, document, is_prompt=name in PROMPTS))

        await self._store.db.write(body)
        for name in documents:
            self._store.hints.announce(CatalogChanged(kind=CatalogKind.SETTING, entity=name))

    async def _before(self, tx: Connection, name: str, type_: type[D]) -> D:
        """For the audit. What cannot be read any more is told as if there had been nothing."""
        try:
            return await self.read_in(tx, name, type_)
        except msgspec.MsgspecError:
            return msgspec.convert({}, type_)

    async def prompt_of(self, user_id: UserId) -> str:
        row = await self._store.db.read(
            lambda tx: tx.one("user_setting", user_id, PROMPT), pace=Pace.ONE_QUERY
        )
        return Decoder(PromptDocument).decode(row[0]).text if row is not None else ""

    async def save_prompt_of(self, user_id: UserId, text: str) -> str:
        """What was kept of it."""
        document = PromptDocument(text=cleaned(text))
        await self._store.db.write(
            lambda tx: tx.run("save_user_setting", user_id, PROMPT, encode_text(document))
        )
        self._store.hints.announce(CatalogChanged(kind=CatalogKind.USER_PROMPT, entity=user_id))
        return document.text

    async def model_of(self, user_id: UserId) -> str | None:
        """It may be gone by now, or not be usable."""
        row = await self._store.db.read(
            lambda tx: tx.one("user_setting", user_id, DEFAULT_MODEL), pace=Pace.ONE_QUERY
        )
        return Decoder(OwnModel).decode(row[0]).model if row is not None else None

    async def save_model_of(self, user_id: UserId, model: str | None) -> None:
        """It is not cached, so there is no hint."""
        document = encode_text(OwnModel(model=model))
        await self._store.db.write(lambda tx: tx.run("save_user_setting", user_id, DEFAULT_MODEL, document))

    async def subagents_of(self, user_id: UserId) -> OwnSubagents:
        """What this user has chosen, allowed or not."""
        row = await self._store.db.read(
            lambda tx: tx.one("user_setting", user_id, SUBAGENTS), pace=Pace.ONE_QUERY
        )
        return Decoder(OwnSubagents).decode(row[0]) if row is not None else OwnSubagents()

    async def save_subagents_of(self, user_id: UserId, chosen: OwnSubagents) -> None:
        """It is not cached, so there is no hint."""
        await self._store.db.write(
            lambda tx: tx.run("save_user_setting", user_id, SUBAGENTS, encode_text(chosen))
        )

    async def compaction_of(self, user_id: UserId) -> OwnCompaction:
        return await self._store.db.read(lambda tx: _compaction_in(tx, user_id), pace=Pace.ONE_QUERY)

    async def change_thresholds_of(self, user_id: UserId, changes: Mapping[str, int | None]) -> None:
        """None takes one back: then that of the model counts. Raises LimitReached."""

        def change(known: OwnCompaction) -> OwnCompaction:
            wanted = {**known.thresholds, **changes}
            kept = {name: percent for name, percent in wanted.items() if percent is not None}
            if len(kept) > THRESHOLDS_MAX:
                raise LimitReached(
                    "too_many_thresholds",
                    f"You can have thresholds for {THRESHOLDS_MAX} models.",
                    limit=THRESHOLDS_MAX,
                )
            return replace(known, thresholds=kept)

        await self.change_compaction_of(user_id, change)

    async def change_compaction_of(
        self, user_id: UserId, change: Callable[[OwnCompaction], OwnCompaction | None]
    ) -> bool:
        """Read and save in one transaction; None leaves it as it is. Answers whether there was a change."""

        async def body(tx: Connection) -> bool:
            changed = change(await _compaction_in(tx, user_id))
            if changed is not None:
                await tx.run("save_user_setting", user_id, COMPACTION, encode_text(changed))
            return changed is not None

        is_changed = await self._store.db.write(body)
        if is_changed:
            self._store.hints.announce(CatalogChanged(kind=CatalogKind.USER_COMPACTION, entity=user_id))
        return is_changed

    async def debug_records_of(self, user_id: UserId) -> bool:
        """Whether this user has chosen it, allowed or not."""
        row = await self._store.db.read(
            lambda tx: tx.one("user_setting", user_id, DEBUG_RECORDS), pace=Pace.ONE_QUERY
        )
        return Decoder(OwnDebugRecords).decode(row[0]).chosen if row is not None else False

    async def save_debug_records_of(self, user_id: UserId, *, chosen: bool) -> None:
        """It is not cached, so there is no hint."""
        document = encode_text(OwnDebugRecords(chosen=chosen))
        await self._store.db.write(lambda tx: tx.run("save_user_setting", user_id, DEBUG_RECORDS, document))


async def _compaction_in(tx: Connection, user_id: UserId) -> OwnCompaction:
    row = await tx.one("user_setting", user_id, COMPACTION)
    return Decoder(OwnCompaction).decode(row[0]) if row is not None else OwnCompaction()
