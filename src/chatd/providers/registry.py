"""Models by name: a row of the catalog becomes something that can be called."""

from importlib import import_module
from urllib.parse import urlsplit

import msgspec
import structlog
from msgspec import Struct

from chatd.catalog.catalog import Catalog
from chatd.catalog.models.learned_limits import as_learned, limit_of
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderType
from chatd.catalog.prices.price_book import Entry, known
from chatd.catalog.rules.addresses import base_url_of
from chatd.domain.ids import UserId
from chatd.domain.message import Cost
from chatd.errors import ProviderError
from chatd.kit.clock import Clock, rfc3339
from chatd.providers.capabilities.known import facts
from chatd.providers.capabilities.quirks import quirks_for
from chatd.providers.capabilities.target import DialectName, Route, Target
from chatd.providers.cost import cost
from chatd.providers.credentials.cache import CredentialCache
from chatd.providers.credentials.secret import Secret
from chatd.providers.dialect import Dialect
from chatd.providers.events import Finished
from chatd.providers.http_model import Endpoint, Framing, HttpModel, Pricing
from chatd.providers.model import Model
from chatd.providers.transport.http import Pools, Way
from chatd.providers.transport.source import FIRST_BYTE_SECONDS, SILENCE_SECONDS, Limits

log = structlog.get_logger()

# Servers that say at once that they have begun. From others nothing comes, not even a status, before the
# first token: while a model thinks, or a server on a laptop loads it, that may take minutes.
PROMPT_DIALECTS = frozenset({DialectName.ANTHROPIC, DialectName.RESPONSES})

# At Anthropic itself, and at whatever else speaks its dialect.
API_VERSION = "2026-10-21"
API_VERSION_HOST = "api.anthropic.com"
API_VERSION_ELSEWHERE = "2023-06-01"

# At this threshold a history is never summarized by itself.
NEVER_PERCENT = 100

# Ready to be called, for as many models and keys as are in use at once. The oldest goes first.
READY_MAX = 1024


class _Ready(Struct, frozen=True):
    provider: Provider
    config: ModelConfig
    model: HttpModel


def dialect_of(name: DialectName) -> Dialect:
    """Imported when a model speaks it: few servers have models of all of them."""
    # Each has a folder of its name.
    found: Dialect = getattr(import_module(f"chatd.providers.dialects.{name.name.lower()}"), name.name)
    return found


class Registry:
    """`Models` of a server: those of its catalog."""

    def __init__(
        self, catalog: Catalog, pools: Pools, credentials: CredentialCache, scripted: Model, clock: Clock
    ) -> None:
        self._catalog = catalog
        self._pools = pools
        self._credentials = credentials
        self._scripted = scripted
        self._clock = clock
        self._ready: dict[tuple[str, int, Secret | None], _Ready] = {}

    async def find(self, name: str | None, owner_id: UserId) -> Model:
        return await self._callable(*await self._catalog.model(name), owner_id)

    async def find_exactly(self, name: str, owner_id: UserId) -> Model:
        """The model of this name, and no other in its place. Raises ProviderError when it cannot be used."""
        config = await self._catalog.exactly(name)
        return await self._callable(*await self._catalog.called(config, name), owner_id)

    async def summarizer(self, owner_id: UserId) -> Model | None:
        """The model that sums up for all others; None: each does it itself.

        An administrator chooses it. What is wrong with the choice later, such as a key that was taken back,
        is no reason to fail a chat that has a model of its own.
        """
        try:
            chosen = await self._catalog.chosen_summarizer()
            return await self._callable(*await self._catalog.called(chosen), owner_id) if chosen else None
        except (ProviderError, msgspec.DecodeError) as error:
            log.warning("summarizer.unusable", reason=str(error))
            return None

    async def summarizer_limit(self) -> int:
        try:
            chosen = await self._catalog.chosen_summarizer()
        except (ProviderError, msgspec.DecodeError):
            return 0
        return limit_of(await self._catalog.learned_limits(), chosen) if chosen is not None else 0

    async def compaction_threshold(self, model: Model, owner_id: UserId) -> int:
        """At which share of its context, in percent, a history of this user is summarized; 100: never."""
        try:
            own = await self._catalog.threshold(owner_id, model.name)
        except msgspec.DecodeError as error:
            log.warning("thresholds.unreadable", user_id=owner_id, reason=str(error))
            own = None
        return own if own is not None and 0 <= own <= NEVER_PERCENT else model.compression_threshold

    async def note_refused(self, model: Model, owner_id: UserId, *, stated: int, guessed: int) -> None:
        """A prompt of this user was too long. If the provider did not tell its limit, our guess counts."""
        if stated:
            await self._catalog.learn_limit(model.name, stated)
        else:
            await self._catalog.guess_limit(model.name, owner_id, guessed)

    async def raise_guess(self, model: Model, owner_id: UserId, tokens: int) -> None:
        await self._catalog.raise_guess(model.name, owner_id, tokens)

    async def _callable(self, config: ModelConfig, provider: Provider, owner_id: UserId) -> Model:
        if provider.type is ProviderType.SCRIPTED:
            return self._scripted
        key = await self._catalog.key_for(provider, owner_id)
        config = as_learned(await self._catalog.learned_limits(), config)
        config = as_learned(await self._catalog.guessed_limits(owner_id), config)
        return self._model(provider, config, Secret(key) if key is not None else None)

    def _model(self, provider: Provider, config: ModelConfig, key: Secret | None) -> Model:
        """The same one as long as nothing about it changes."""
        place = (config.id, config.context_limit, key)
        ready = self._ready.get(place)
        if ready is None or ready.provider != provider or ready.config != config:
            ready = _Ready(provider, config, self._made(provider, config, key))
            self._ready.pop(place, None)
            if len(self._ready) >= READY_MAX:
                del self._ready[next(iter(self._ready))]
            self._ready[place] = ready
        return ready.model

    def _made(self, provider: Provider, config: ModelConfig, key: Secret | None) -> HttpModel:
        target = target_of(provider, config)
        settings = provider.settings
        way = Way(provider_id=provider.id, proxy=settings.proxy, ca_file=settings.ca_file)
        endpoint = Endpoint(
            base_url=base_url_of(provider.type, provider.base_url, settings),
            credentials=self._credentials.credentials(
                provider.type, settings, key, declared=provider.declared
            ),
            post=self._pools.post_by(way),
            headers=settings.headers,
            framing=_framing(target),
            limits=limits_of(target.dialect, settings.silence_seconds or SILENCE_SECONDS),
        )
        return HttpModel(
            target,
            dialect_of(target.dialect),
            endpoint,
            context_limit=config.context_limit,
            compression_threshold=config.compression_threshold,
            cost=pricing(provider, config, self._clock),
        )


def limits_of(dialect: DialectName, silence_seconds: float) -> Limits:
    first = FIRST_BYTE_SECONDS if dialect in PROMPT_DIALECTS else max(FIRST_BYTE_SECONDS, silence_seconds)
    return Limits(first_byte_seconds=first, silence_seconds=silence_seconds)


def pricing(provider: Provider, config: ModelConfig, clock: Clock) -> Pricing:
    """What calls of this model cost."""

    def known_as(model: str) -> Entry | None:
        return known(provider.type, provider.base_url, model) if model else None

    def priced(finished: Finished, *, answered_by: str = "") -> Cost | None:
        # Deployments are named by people, and some models are only a choice among others.
        entry = known_as(answered_by) or known_as(config.model)
        today = rfc3339(clock.now_micros())[:10]
        prompt = finished.usage.prompt_tokens if finished.usage else 0
        book = entry.rates(day=today, prompt_tokens=prompt) if entry is not None else None
        return cost(finished.usage, set_prices=config.prices, billed_micros=finished.cost_micros, book=book)

    return priced


def target_of(provider: Provider, config: ModelConfig) -> Target:
    """What is called, in the dialect that is decided here and nowhere else. Raises ProviderError."""
    if provider.type is ProviderType.OPENAI and "/" in config.model and not provider.base_url:
        raise ProviderError(
            "config",
            f"{config.model} is a name as gateways like OpenRouter have them, and {provider.name} is OpenAI.",
            provider=provider.name,
            detail="Add a provider of the type openrouter for it, or set the address of the gateway.",
        )
    about = facts(provider, config)
    try:
        quirks = quirks_for(provider.type, provider.base_url, config.model, provider.settings.quirks)
    except msgspec.ValidationError as error:
        raise ProviderError(
            "config",
            f"The quirks of {provider.name} cannot be read.",
            provider=provider.name,
            detail=str(error),
        ) from error
    return Target(
        provider_id=provider.id,
        provider=provider.name,
        type=provider.type,
        dialect=about.dialect,
        model=config.model,
        abilities=about.abilities,
        files=about.files,
        quirks=quirks,
        options=config.options,
        api_version=provider.settings.api_version or _api_version(provider),
        route=_route(provider),
    )


def _route(provider: Provider) -> Route:
    match provider.type:
        case ProviderType.BEDROCK:
            return "bedrock"
        case ProviderType.AZURE:
            return "azure"
        case ProviderType.GOOGLE if provider.settings.project is not None:
            return "vertex"
        case _:
            return "direct"


def _api_version(provider: Provider) -> str:
    if provider.type is not ProviderType.ANTHROPIC:
        return API_VERSION_ELSEWHERE
    host = urlsplit(base_url_of(provider.type, provider.base_url, provider.settings)).hostname
    return API_VERSION if host == API_VERSION_HOST else API_VERSION_ELSEWHERE


def _framing(target: Target) -> Framing:
    if target.type != ProviderType.BEDROCK:
        return "sse"
    return "aws" if target.dialect is DialectName.CONVERSE else "aws-invoke"
