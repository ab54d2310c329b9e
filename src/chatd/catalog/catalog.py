"""The catalog as agents use it: at every step, so most of it is remembered for a few seconds.

What may be remembered is dropped as soon as a hint says that it changed; without hints it lives no longer
than its time. Whether a provider is switched on, and its keys, are read every time: what an
administrator takes away must not be used until it is forgotten.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.cache import Absent, Cache, Fills
from chatd.catalog.documents import (
    ADVISOR,
    BASE_PROMPT,
    COMPACTION,
    CONTEXT_LIMITS,
    DEBUG_RECORDS,
    PLAN_PROMPT,
    PROMPT,
    SUBAGENTS,
    TEXTS,
    Advisor,
    BasePrompt,
    Compaction,
    DebugRecords,
    OwnCompaction,
    PromptDocument,
    Subagents,
    Texts,
)
from chatd.catalog.mcp.inventory import McpInventory
from chatd.catalog.models.learned_limits import LearnedLimits, current, with_guess, with_limit, with_raised
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderId, Unreadable
from chatd.catalog.models.store import CatalogStore
from chatd.domain.ids import Micros, UserId
from chatd.domain.workspace.skill import BadSkill, parse_skill
from chatd.domain.workspace.skill_list import PersonalSkill
from chatd.errors import ProviderError
from chatd.hints.bus import Bus
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.kit.clock import Clock

log = structlog.get_logger()

TTL_SECONDS = 10.0
PROMPT_TTL_SECONDS = 5.0
# What providers told of their limits changes hardly ever, and a hint says so.
LIMITS_TTL_SECONDS = 3600.0
MODELS_REMEMBERED_MAX = 1024
PROMPTS_REMEMBERED_MAX = 65_536
# Users; each may have 100 skills with a description of 4 KiB.
SKILLS_REMEMBERED_MAX = 256
MCP_REMEMBERED_MAX = 4096

_ALL = "all"


class CacheStatistics(Struct, frozen=True, kw_only=True):
    """How one kind of thing was served so far."""

    name: str
    entries: int
    hits: int
    misses: int
    fill_errors: int
    fill_seconds: float
    invalidations: int


class Catalog:
    """Made by `open_catalog`. A caller may change the answer it gets: no other caller sees that."""

    def __init__(self, catalog_store: CatalogStore, fills: Fills, clock: Clock) -> None:
        self.catalog_store = catalog_store
        self._providers: Cache[str, tuple[Provider, ...]] = Cache(
            "providers", fills, clock, ttl_seconds=TTL_SECONDS
        )
        self._models: Cache[str, tuple[ModelConfig, ...]] = Cache(
            "models", fills, clock, ttl_seconds=TTL_SECONDS
        )
        self._named: Cache[str, ModelConfig] = Cache(
            "model", fills, clock, ttl_seconds=TTL_SECONDS, entries_max=MODELS_REMEMBERED_MAX
        )
        self._default: Cache[str, ModelConfig] = Cache("default_model", fills, clock, ttl_seconds=TTL_SECONDS)
        self._prompts: Cache[UserId, str] = Cache(
            "user_prompt", fills, clock, ttl_seconds=PROMPT_TTL_SECONDS, entries_max=PROMPTS_REMEMBERED_MAX
        )
        self._own_compaction: Cache[UserId, OwnCompaction] = Cache(
            "user_compaction",
            fills,
            clock,
            ttl_seconds=PROMPT_TTL_SECONDS,
            entries_max=PROMPTS_REMEMBERED_MAX,
        )
        self._skills: Cache[UserId, tuple[PersonalSkill, ...]] = Cache(
            "user_skills", fills, clock, ttl_seconds=PROMPT_TTL_SECONDS, entries_max=SKILLS_REMEMBERED_MAX
        )
        self._prompt: Cache[str, str] = Cache("prompt", fills, clock, ttl_seconds=TTL_SECONDS)
        self._base: Cache[str, BasePrompt] = Cache(BASE_PROMPT, fills, clock, ttl_seconds=TTL_SECONDS)
        self._plan: Cache[str, str] = Cache(PLAN_PROMPT, fills, clock, ttl_seconds=TTL_SECONDS)
        self._subagents: Cache[str, Subagents] = Cache(SUBAGENTS, fills, clock, ttl_seconds=TTL_SECONDS)
        self._advisor: Cache[str, Advisor] = Cache("advisor", fills, clock, ttl_seconds=TTL_SECONDS)
        self._compaction: Cache[str, Compaction] = Cache("compaction", fills, clock, ttl_seconds=TTL_SECONDS)
        self._debug_records: Cache[str, DebugRecords] = Cache(
            "debug_records", fills, clock, ttl_seconds=TTL_SECONDS
        )
        self._mcp_servers: Cache[UserId, McpInventory] = Cache(
            "mcp_servers", fills, clock, ttl_seconds=TTL_SECONDS, entries_max=MCP_REMEMBERED_MAX
        )
        self._clock = clock
        self._limits: Cache[str, LearnedLimits] = Cache(
            CONTEXT_LIMITS, fills, clock, ttl_seconds=LIMITS_TTL_SECONDS
        )
        self._texts: Cache[str, Texts] = Cache(TEXTS, fills, clock, ttl_seconds=TTL_SECONDS)

    async def providers(self) -> tuple[Provider, ...]:
        async def load() -> tuple[Provider, ...]:
            return (await self.catalog_store.inventory()).providers

        return await self._providers.get(_ALL, load)

    async def provider(self, provider_id: ProviderId) -> Provider:
        """A provider to call, as it is now. Raises ProviderError when it is switched off or gone."""
        provider = await self.catalog_store.read_provider(provider_id)
        if isinstance(provider, Unreadable):
            raise ProviderError(
                "config", _unreadable(f"the provider {provider.name}"), provider=provider.name
            )
        if provider is None or not provider.enabled:
            raise ProviderError(
                "provider_disabled",
                f"The provider {provider.name} is switched off."
                if provider is not None
                else "The provider of this model is gone.",
                provider=provider.name if provider is not None else None,
            )
        return provider

    async def models(self) -> tuple[ModelConfig, ...]:
        """All of them, in their order; disabled ones too."""

        async def load() -> tuple[ModelConfig, ...]:
            return (await self.catalog_store.inventory()).models

        return await self._models.get(_ALL, load)

    async def model(self, name: str | None) -> tuple[ModelConfig, Provider]:
        """The model of this name, and where to call it; for None, and for one that was deleted, the default.

        Raises ProviderError when it cannot be used.
        """
        return await self.called(await self._model(name), name)

    async def called(self, config: ModelConfig, name: str | None = None) -> tuple[ModelConfig, Provider]:
        """A model, and where to call it. Raises ProviderError when it is switched off, or its provider is."""
        if not config.enabled:
            raise ProviderError(
                "config", f"The model {name or config.model} is switched off. Choose another one."
            )
        return config, await self.provider(config.provider_id)

    async def key_for(self, provider: Provider, user_id: UserId | None) -> str | None:
        """The user's own key where that is allowed, else the provider's; None where none is needed.

        Raises ProviderError when there is none.
        """
        return await self.catalog_store.keys.key_for(provider, user_id)

    async def prompt_of(self, user_id: UserId) -> str:
        """What this user wants to be said in all of their chats; mostly nothing."""
        return await self._prompts.get(user_id, lambda: self.catalog_store.documents.prompt_of(user_id))

    async def threshold(self, user_id: UserId, model: str) -> int | None:
        """At which share of this model's context the user wants histories summarized; None: no matter."""
        return (await self._compaction_of(user_id)).thresholds.get(model)

    async def skills_of(self, user_id: UserId) -> tuple[PersonalSkill, ...]:
        """What agents in the chats of this user are told of the user's own skills."""
        return await self._skills.get(user_id, lambda: self.catalog_store.skills.names_of(user_id))

    async def skill_body(self, user_id: UserId, name: str) -> str | None:
        """The instructions of one of these, as it is now. None: it is gone, or cannot be read any more."""
        kept = await self.catalog_store.skills.find(user_id, name)
        try:
            return parse_skill(kept.content).body if kept is not None else None
        except BadSkill as error:
            log.warning("skill.unreadable", user_id=user_id, reason=str(error))
            return None

    async def deployment_prompt(self) -> str:
        """What the administrators want to be said in all chats."""

        async def load() -> str:
            return (await self.catalog_store.documents.read(PROMPT, PromptDocument)).text

        return await self._prompt.get(_ALL, load)

    async def base_prompt(self) -> str | None:
        """What the administrators want to be said instead of chatd's own words; None: those."""

        async def load() -> BasePrompt:
            return await self.catalog_store.documents.read(BASE_PROMPT, BasePrompt)

        return (await self._base.get(_ALL, load)).text

    async def plan_prompt(self) -> str:
        """What the administrators want to be said in chats that plan."""

        async def load() -> str:
            return (await self.catalog_store.documents.read(PLAN_PROMPT, PromptDocument)).text

        return await self._plan.get(_ALL, load)

    async def subagents(self) -> Subagents:
        """What the administrators have set for chats that work for others."""
        return await self._subagents.get(
            _ALL, lambda: self.catalog_store.documents.read(SUBAGENTS, Subagents)
        )

    async def mcp_servers(self, user_id: UserId) -> McpInventory:
        """The MCP servers that there are for this user."""
        return await self._mcp_servers.get(user_id, lambda: self.catalog_store.mcp.inventory(user_id))

    async def advisor(self) -> Advisor:
        return await self._advisor.get(_ALL, lambda: self.catalog_store.documents.read(ADVISOR, Advisor))

    async def can_call(self, name: str) -> bool:
        """Whether there is this very model, and both it and its provider are switched on."""
        try:
            await self.called(await self._exactly(name))
        except (Absent, ProviderError):
            return False
        return True

    async def chosen_summarizer(self) -> ModelConfig | None:
        """The model that the administrators want to sum up for all others, unless it was deleted.

        Raises ProviderError and msgspec.DecodeError when the choice cannot be read.
        """
        chosen = await self._compaction.get(
            _ALL, lambda: self.catalog_store.documents.read(COMPACTION, Compaction)
        )
        try:
            return await self._exactly(chosen.model) if chosen.model is not None else None
        except Absent:
            return None

    async def exactly(self, name: str) -> ModelConfig:
        """The model of this name; the default does not stand in for it. Raises ProviderError."""
        try:
            return await self._exactly(name)
        except Absent:
            raise ProviderError(
                "config", f"There is no model {name} any more. An administrator can choose another one."
            ) from None

    async def wanted_texts(self) -> Texts:
        """Which texts about chats models write. Asked once for each turn."""
        return await self._texts.get(_ALL, lambda: self.catalog_store.documents.read(TEXTS, Texts))

    async def learned_limits(self) -> LearnedLimits:
        """What providers told of their context limits, of all models."""

        async def load() -> LearnedLimits:
            try:
                return await self.catalog_store.documents.read(CONTEXT_LIMITS, LearnedLimits)
            except msgspec.DecodeError as error:
                # Without them a model is called as it is set up.
                log.warning("context_limits.unreadable", reason=str(error))
                return LearnedLimits()

        return await self._limits.get(_ALL, load)

    async def learn_limit(self, name: str, tokens: int) -> None:
        """The provider of this model refused a prompt, and told how many tokens the model takes."""
        try:
            config = await self._exactly(name)
        except Absent:
            return
        if with_limit(await self.learned_limits(), config, tokens) is None:
            return
        await self.catalog_store.documents.change(
            CONTEXT_LIMITS, LearnedLimits, lambda known: with_limit(known, config, tokens)
        )
        log.info("context_limit.learned", model=name, tokens=tokens, instead_of=config.context_limit)

    async def guessed_limits(self, user_id: UserId) -> LearnedLimits:
        """What we guess of the context limits of models, from prompts of this user that were refused."""
        try:
            guesses = (await self._compaction_of(user_id)).guesses
        except msgspec.DecodeError as error:
            log.warning("context_limits.unreadable", user_id=user_id, reason=str(error))
            return LearnedLimits()
        return current(guesses, self._now()) if guesses.limits else guesses

    async def guess_limit(self, name: str, user_id: UserId, tokens: int) -> None:
        """The provider of this model refused a prompt, and did not tell how many tokens the model takes."""
        now = self._now()

        def guess(known: LearnedLimits, config: ModelConfig) -> LearnedLimits | None:
            return with_guess(known, config, tokens, now=now)

        if await self._change_guesses(name, user_id, guess):
            log.info("context_limit.guessed", model=name, user_id=user_id, tokens=tokens)

    async def raise_guess(self, name: str, user_id: UserId, tokens: int) -> None:
        """By what this model has taken, a guess that is lower than this is too low."""
        if (await self.guessed_limits(user_id)).limits:
            await self._change_guesses(
                name, user_id, lambda known, config: with_raised(known, config, tokens)
            )

    def _now(self) -> Micros:
        return Micros(self._clock.now_micros())

    async def _change_guesses(
        self,
        name: str,
        user_id: UserId,
        change: Callable[[LearnedLimits, ModelConfig], LearnedLimits | None],
    ) -> bool:
        try:
            config = await self._exactly(name)
        except Absent:
            return False

        def changed(known: OwnCompaction) -> OwnCompaction | None:
            guesses = change(known.guesses, config)
            return replace(known, guesses=guesses) if guesses is not None else None

        return await self.catalog_store.documents.change_compaction_of(user_id, changed)

    async def _compaction_of(self, user_id: UserId) -> OwnCompaction:
        documents = self.catalog_store.documents
        return await self._own_compaction.get(user_id, lambda: documents.compaction_of(user_id))

    async def wants_debug_records(self, user_id: UserId) -> bool:
        """Whether this user may have their chats recorded, and wants it. Asked once for each turn."""
        documents = self.catalog_store.documents
        allowed = await self._debug_records.get(_ALL, lambda: documents.read(DEBUG_RECORDS, DebugRecords))
        return allowed.allowed and await documents.debug_records_of(user_id)

    def statistics(self) -> list[CacheStatistics]:
        return [
            CacheStatistics(
                name=cache.name,
                entries=len(cache),
                hits=cache.hits,
                misses=cache.misses,
                fill_errors=cache.fill_errors,
                fill_seconds=cache.fill_seconds,
                invalidations=cache.invalidations,
            )
            for cache in self._caches
        ]

    def hear(self, change: CatalogChanged) -> None:
        """Forget what has changed. A kind that only a newer program knows concerns nothing that we have."""
        forget = self._forgetting.get(change.kind)
        if forget is None:
            log.warning("catalog.unknown_change", kind=change.kind)
            return
        forget(change.entity)

    @property
    def _caches(self) -> tuple[Cache[Any, Any], ...]:
        return (
            self._providers,
            self._models,
            self._named,
            self._default,
            self._prompts,
            self._own_compaction,
            self._skills,
            self._prompt,
            self._base,
            self._plan,
            self._subagents,
            self._advisor,
            self._compaction,
            self._debug_records,
            self._mcp_servers,
            self._limits,
            self._texts,
        )

    @property
    def _forgetting(self) -> Mapping[str, Callable[[str | None], None]]:
        return {
            CatalogKind.PROVIDERS: self._forget_providers,
            CatalogKind.MODEL: self._forget_model,
            CatalogKind.USER_PROMPT: self._forget_prompt,
            CatalogKind.USER_COMPACTION: self._forget_own_compaction,
            CatalogKind.USER_SKILLS: self._forget_skills,
            CatalogKind.SETTING: self._forget_setting,
            CatalogKind.MCP_SERVERS: self._forget_mcp_servers,
            CatalogKind.EVERYTHING: self._forget_everything,
        }

    def _forget_providers(self, _: str | None) -> None:
        """Which models there are depends on their providers."""
        for cache in (self._providers, self._models, self._named, self._default):
            cache.forget_all()

    def _forget_model(self, name: str | None) -> None:
        if name is None:
            self._named.forget_all()
        else:
            self._named.forget(name)
            # By its own name alone it may have been another one.
            self._named.forget(name.partition("/")[2])
        self._models.forget_all()
        self._default.forget_all()

    def _forget_prompt(self, user_id: str | None) -> None:
        if user_id is None:
            self._prompts.forget_all()
        else:
            self._prompts.forget(UserId(user_id))

    def _forget_own_compaction(self, user_id: str | None) -> None:
        if user_id is None:
            self._own_compaction.forget_all()
        else:
            self._own_compaction.forget(UserId(user_id))

    def _forget_skills(self, user_id: str | None) -> None:
        if user_id is None:
            self._skills.forget_all()
        else:
            self._skills.forget(UserId(user_id))

    def _forget_mcp_servers(self, user_id: str | None) -> None:
        if user_id is None:
            self._mcp_servers.forget_all()
        else:
            self._mcp_servers.forget(UserId(user_id))

    def _forget_setting(self, name: str | None) -> None:
        of: Mapping[str, Cache[Any, Any]] = {
            PROMPT: self._prompt,
            BASE_PROMPT: self._base,
            PLAN_PROMPT: self._plan,
            SUBAGENTS: self._subagents,
            ADVISOR: self._advisor,
            COMPACTION: self._compaction,
            DEBUG_RECORDS: self._debug_records,
            CONTEXT_LIMITS: self._limits,
            TEXTS: self._texts,
        }
        for each, cache in of.items():
            if name in (each, None):
                cache.forget_all()

    def _forget_everything(self, _: str | None) -> None:
        for cache in self._caches:
            cache.forget_all()

    async def _model(self, name: str | None) -> ModelConfig:
        try:
            if name is not None:
                return await self._exactly(name)
        except Absent:
            pass
        return await self._default.get(_ALL, self._read_default)

    async def _exactly(self, wanted: str) -> ModelConfig:
        """Raises Absent when there is no such model."""

        async def load() -> ModelConfig:
            model = (await self.catalog_store.inventory()).named(wanted)
            if model is None:
                raise Absent
            if isinstance(model, Unreadable):
                # Unlike a deleted one it was not given up, so the default does not stand in for it.
                raise ProviderError("config", _unreadable(f"the model {wanted}"))
            return model

        return await self._named.get(wanted, load)

    async def _read_default(self) -> ModelConfig:
        default = (await self.catalog_store.inventory()).default
        if default is None:
            raise ProviderError(
                "config", "There is no model that can be used. An administrator can add one or switch one on."
            )
        return default


def _unreadable(what: str) -> str:
    return f"This version of the server cannot read {what}. An administrator finds the reason in its log."


@asynccontextmanager
async def open_catalog(catalog_store: CatalogStore, bus: Bus, clock: Clock) -> AsyncIterator[Catalog]:
    """Inside the block the catalog hears of every change; leaving it ends what it still reads."""
    async with Fills() as fills:
        catalog = Catalog(catalog_store, fills, clock)
        with bus.listening_to_news(CatalogChanged, catalog.hear):
            yield catalog
