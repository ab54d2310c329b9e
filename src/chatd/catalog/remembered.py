"""What of the catalog is remembered, for how long, and what is forgotten when something changed."""

from collections.abc import Callable, Mapping
from typing import Any

import structlog
from msgspec import Struct

from chatd.catalog.cache import Cache, Fills
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
    Subagents,
    Texts,
)
from chatd.catalog.mcp.inventory import McpInventory
from chatd.catalog.models.learned_limits import LearnedLimits
from chatd.catalog.models.rows import ModelConfig, Provider
from chatd.domain.ids import UserId
from chatd.domain.workspace.skill_list import PersonalSkill
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


class CacheStatistics(Struct, frozen=True, kw_only=True):
    """How one kind of thing was served so far."""

    name: str
    entries: int
    hits: int
    misses: int
    fill_errors: int
    fill_seconds: float
    invalidations: int


class Remembered:
    """The caches, by what they hold. Those of a user are kept by the user's id, the others once."""

    def __init__(self, fills: Fills, clock: Clock) -> None:
        self.providers: Cache[str, tuple[Provider, ...]] = Cache(
            "providers", fills, clock, ttl_seconds=TTL_SECONDS
        )
        self.models: Cache[str, tuple[ModelConfig, ...]] = Cache(
            "models", fills, clock, ttl_seconds=TTL_SECONDS
        )
        self.named: Cache[str, ModelConfig] = Cache(
            "model", fills, clock, ttl_seconds=TTL_SECONDS, entries_max=MODELS_REMEMBERED_MAX
        )
        self.default: Cache[str, ModelConfig] = Cache("default_model", fills, clock, ttl_seconds=TTL_SECONDS)
        self.prompts: Cache[UserId, str] = Cache(
            "user_prompt", fills, clock, ttl_seconds=PROMPT_TTL_SECONDS, entries_max=PROMPTS_REMEMBERED_MAX
        )
        self.own_compaction: Cache[UserId, OwnCompaction] = Cache(
            "user_compaction",
            fills,
            clock,
            ttl_seconds=PROMPT_TTL_SECONDS,
            entries_max=PROMPTS_REMEMBERED_MAX,
        )
        self.skills: Cache[UserId, tuple[PersonalSkill, ...]] = Cache(
            "user_skills", fills, clock, ttl_seconds=PROMPT_TTL_SECONDS, entries_max=SKILLS_REMEMBERED_MAX
        )
        self.prompt: Cache[str, str] = Cache("prompt", fills, clock, ttl_seconds=TTL_SECONDS)
        self.base: Cache[str, BasePrompt] = Cache(BASE_PROMPT, fills, clock, ttl_seconds=TTL_SECONDS)
        self.plan: Cache[str, str] = Cache(PLAN_PROMPT, fills, clock, ttl_seconds=TTL_SECONDS)
        self.subagents: Cache[str, Subagents] = Cache(SUBAGENTS, fills, clock, ttl_seconds=TTL_SECONDS)
        self.advisor: Cache[str, Advisor] = Cache("advisor", fills, clock, ttl_seconds=TTL_SECONDS)
        self.compaction: Cache[str, Compaction] = Cache("compaction", fills, clock, ttl_seconds=TTL_SECONDS)
        self.debug_records: Cache[str, DebugRecords] = Cache(
            "debug_records", fills, clock, ttl_seconds=TTL_SECONDS
        )
        self.mcp_servers: Cache[UserId, McpInventory] = Cache(
            "mcp_servers", fills, clock, ttl_seconds=TTL_SECONDS, entries_max=MCP_REMEMBERED_MAX
        )
        self.limits: Cache[str, LearnedLimits] = Cache(
            CONTEXT_LIMITS, fills, clock, ttl_seconds=LIMITS_TTL_SECONDS
        )
        self.texts: Cache[str, Texts] = Cache(TEXTS, fills, clock, ttl_seconds=TTL_SECONDS)

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
            self.providers,
            self.models,
            self.named,
            self.default,
            self.prompts,
            self.own_compaction,
            self.skills,
            self.prompt,
            self.base,
            self.plan,
            self.subagents,
            self.advisor,
            self.compaction,
            self.debug_records,
            self.mcp_servers,
            self.limits,
            self.texts,
        )

    @property
    def _forgetting(self) -> Mapping[str, Callable[[str | None], None]]:
        return {
            CatalogKind.PROVIDERS: self._forget_providers,
            CatalogKind.MODEL: self._forget_model,
            # Streams and agents look for themselves.
            CatalogKind.USER_ACCESS: lambda _: None,
            CatalogKind.USER_PROMPT: _of_a_user(self.prompts),
            CatalogKind.USER_COMPACTION: _of_a_user(self.own_compaction),
            CatalogKind.USER_SKILLS: _of_a_user(self.skills),
            CatalogKind.SETTING: self._forget_setting,
            CatalogKind.MCP_SERVERS: _of_a_user(self.mcp_servers),
            CatalogKind.EVERYTHING: self._forget_everything,
        }

    def _forget_providers(self, _: str | None) -> None:
        """Which models there are depends on their providers."""
        for cache in (self.providers, self.models, self.named, self.default):
            cache.forget_all()

    def _forget_model(self, name: str | None) -> None:
        if name is None:
            self.named.forget_all()
        else:
            self.named.forget(name)
            # By its own name alone it may have been another one.
            self.named.forget(name.partition("/")[2])
        self.models.forget_all()
        self.default.forget_all()

    def _forget_setting(self, name: str | None) -> None:
        of: Mapping[str, Cache[Any, Any]] = {
            PROMPT: self.prompt,
            BASE_PROMPT: self.base,
            PLAN_PROMPT: self.plan,
            SUBAGENTS: self.subagents,
            ADVISOR: self.advisor,
            COMPACTION: self.compaction,
            DEBUG_RECORDS: self.debug_records,
            CONTEXT_LIMITS: self.limits,
            TEXTS: self.texts,
        }
        for each, cache in of.items():
            if name in (each, None):
                cache.forget_all()

    def _forget_everything(self, _: str | None) -> None:
        for cache in self._caches:
            cache.forget_all()


def _of_a_user(cache: Cache[UserId, Any]) -> Callable[[str | None], None]:
    def forget(user_id: str | None) -> None:
        if user_id is None:
            cache.forget_all()
        else:
            cache.forget(UserId(user_id))

    return forget
