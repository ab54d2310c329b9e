"""The catalog as agents use it: at every step, so most of it is remembered for a few seconds.

What may be remembered is dropped as soon as a hint says that it changed; without hints it lives no longer
than its time. Whether a provider is switched on, and its keys, are read every time: what an
administrator takes away must not be used until it is forgotten.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec
import structlog
from msgspec.structs import replace

from chatd.catalog.cache import Absent, Fills
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
from chatd.catalog.remembered import CacheStatistics, Remembered
from chatd.domain.ids import Micros, UserId
from chatd.domain.workspace.skill import BadSkill, parse_skill
from chatd.domain.workspace.skill_list import PersonalSkill
from chatd.errors import ProviderError
from chatd.hints.bus import Bus
from chatd.hints.hint import CatalogChanged
from chatd.kit.clock import Clock

log = structlog.get_logger()

_ALL = "all"


class Catalog:
    """Made by `open_catalog`. A caller may change the answer it gets: no other caller sees that."""

    def __init__(self, catalog_store: CatalogStore, fills: Fills, clock: Clock) -> None:
        self.catalog_store = catalog_store
        self._clock = clock
        self._remembered = Remembered(fills, clock)

    async def providers(self) -> tuple[Provider, ...]:
        async def load() -> tuple[Provider, ...]:
            return (await self.catalog_store.inventory()).providers

        return await self._remembered.providers.get(_ALL, load)

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

        return await self._remembered.models.get(_ALL, load)

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
        return await self._remembered.prompts.get(
            user_id, lambda: self.catalog_store.documents.prompt_of(user_id)
        )

    async def threshold(self, user_id: UserId, model: str) -> int | None:
        """At which share of this model's context the user wants histories summarized; None: no matter."""
        return (await self._compaction_of(user_id)).thresholds.get(model)

    async def skills_of(self, user_id: UserId) -> tuple[PersonalSkill, ...]:
        """What agents in the chats of this user are told of the user's own skills."""
        return await self._remembered.skills.get(user_id, lambda: self.catalog_store.skills.names_of(user_id))

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

        return await self._remembered.prompt.get(_ALL, load)

    async def base_prompt(self) -> str | None:
        """What the administrators want to be said instead of chatd's own words; None: those."""

        async def load() -> BasePrompt:
            return await self.catalog_store.documents.read(BASE_PROMPT, BasePrompt)

        return (await self._remembered.base.get(_ALL, load)).text

    async def plan_prompt(self) -> str:
        """What the administrators want to be said in chats that plan."""

        async def load() -> str:
            return (await self.catalog_store.documents.read(PLAN_PROMPT, PromptDocument)).text

        return await self._remembered.plan.get(_ALL, load)

    async def subagents(self) -> Subagents:
        """What the administrators have set for chats that work for others."""
        return await self._remembered.subagents.get(
            _ALL, lambda: self.catalog_store.documents.read(SUBAGENTS, Subagents)
        )

    async def mcp_servers(self, user_id: UserId) -> McpInventory:
        """The MCP servers that there are for this user."""
        return await self._remembered.mcp_servers.get(
            user_id, lambda: self.catalog_store.mcp.inventory(user_id)
        )

    async def advisor(self) -> Advisor:
        return await self._remembered.advisor.get(
            _ALL, lambda: self.catalog_store.documents.read(ADVISOR, Advisor)
        )

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
        chosen = await self._remembered.compaction.get(
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
        return await self._remembered.texts.get(_ALL, lambda: self.catalog_store.documents.read(TEXTS, Texts))

    async def learned_limits(self) -> LearnedLimits:
        """What providers told of their context limits, of all models."""

        async def load() -> LearnedLimits:
            try:
                return await self.catalog_store.documents.read(CONTEXT_LIMITS, LearnedLimits)
            except msgspec.DecodeError as error:
                # Without them a model is called as it is set up.
                log.warning("context_limits.unreadable", reason=str(error))
                return LearnedLimits()

        return await self._remembered.limits.get(_ALL, load)

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
        return await self._remembered.own_compaction.get(user_id, lambda: documents.compaction_of(user_id))

    async def wants_debug_records(self, user_id: UserId) -> bool:
        """Whether this user may have their chats recorded, and wants it. Asked once for each turn."""
        documents = self.catalog_store.documents
        allowed = await self._remembered.debug_records.get(
            _ALL, lambda: documents.read(DEBUG_RECORDS, DebugRecords)
        )
        return allowed.allowed and await documents.debug_records_of(user_id)

    def statistics(self) -> list[CacheStatistics]:
        return self._remembered.statistics()

    def hear(self, change: CatalogChanged) -> None:
        self._remembered.hear(change)

    async def _model(self, name: str | None) -> ModelConfig:
        try:
            if name is not None:
                return await self._exactly(name)
        except Absent:
            pass
        return await self._remembered.default.get(_ALL, self._read_default)

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

        return await self._remembered.named.get(wanted, load)

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
