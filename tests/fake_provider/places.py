"""The fake provider as an administrator would configure it, once for each wire format."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.models.declared import Declared, ModelDeclaration, ProviderDeclaration, declare
from chatd.catalog.models.options import (
    AnthropicOptions,
    CallOptions,
    EffortRange,
    GoogleOptions,
    OpenAIOptions,
    OpenRouterOptions,
)
from chatd.catalog.models.rows import ProviderSettings, ProviderType
from chatd.domain.message import Effort
from tests.fake_provider.wires.anthropic import Invoke, Messages
from tests.fake_provider.wires.chat import Chat, OpenRouter
from tests.fake_provider.wires.converse import Converse
from tests.fake_provider.wires.gemini import Gemini
from tests.fake_provider.wires.responses import Responses

KEY = "a-key-that-opens-nothing"
# A name for the one that keeps what it says; the wire is the same.
STORED = "stored"

_HARD = EffortRange(default=Effort.HIGH, max=Effort.HIGH)


class Place(Struct, frozen=True, kw_only=True):
    type: ProviderType
    model: str
    # Behind the address of the server.
    base: str = ""
    settings: ProviderSettings = ProviderSettings()
    options: CallOptions = CallOptions()


# By the name of the wire, which is also the name of the provider.
PLACES: Final[Mapping[str, Place]] = {
    Messages.name: Place(
        type=ProviderType.ANTHROPIC,
        model="claude-opus-4-8",
        settings=ProviderSettings(api_version="2026-10-21"),
        options=CallOptions(
            reasoning_effort=_HARD, anthropic=AnthropicOptions(web_search_enabled=True, cache="5m")
        ),
    ),
    Invoke.name: Place(
        type=ProviderType.BEDROCK,
        model="us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        settings=ProviderSettings(region="us-east-1"),
        options=CallOptions(reasoning_effort=_HARD),
    ),
    Responses.name: Place(
        type=ProviderType.OPENAI,
        model="gpt-5.6",
        base="/v1",
        options=CallOptions(
            reasoning_effort=_HARD, openai=OpenAIOptions(web_search_enabled=True, reasoning_summary="auto")
        ),
    ),
    STORED: Place(
        type=ProviderType.OPENAI,
        model="gpt-5.6",
        base="/v1",
        options=CallOptions(openai=OpenAIOptions(web_search_enabled=True, store=True)),
    ),
    Chat.name: Place(type=ProviderType.OPENAI_COMPATIBLE, model="qwen3-max", base="/v1"),
    OpenRouter.name: Place(
        type=ProviderType.OPENROUTER,
        model="anthropic/claude-opus-4.8",
        base="/api/v1",
        options=CallOptions(
            reasoning_effort=_HARD,
            openrouter=OpenRouterOptions(
                web_search_enabled=True, max_results=3, blocked_domains=("spam.example",)
            ),
        ),
    ),
    Gemini.name: Place(
        type=ProviderType.GOOGLE,
        model="gemini-3-pro-preview",
        options=CallOptions(reasoning_effort=_HARD, google=GoogleOptions(web_search_enabled=True)),
    ),
    Converse.name: Place(
        type=ProviderType.BEDROCK,
        model="us.amazon.nova-premier-v1:0",
        settings=ProviderSettings(region="us-east-1"),
    ),
}
# Those that are different dialects, and not only other ways to one.
DIALECTS: Final = (Messages.name, Responses.name, OpenRouter.name, Gemini.name, Converse.name)


def model_at(place: str) -> str:
    """The model there, as people name it."""
    return f"{place}/{PLACES[place].model}"


def declared_at(
    address: str,
    *,
    silence_seconds: float | None = None,
    headers: Mapping[str, str] | None = None,
    context_limit: int | None = 1_000_000,
) -> Declared:
    """A `context_limit` of None: no administrator has set one."""
    providers = [
        ProviderDeclaration(
            name=name,
            type=place.type,
            base_url=address + place.base,
            api_key=KEY,
            settings=replace(place.settings, silence_seconds=silence_seconds, headers=dict(headers or {})),
        )
        for name, place in PLACES.items()
    ]
    models = [
        ModelDeclaration(
            provider=name,
            model=place.model,
            context_limit=context_limit,
            options=place.options,
            default=not number,
        )
        for number, (name, place) in enumerate(PLACES.items())
    ]
    return declare(providers, models)
