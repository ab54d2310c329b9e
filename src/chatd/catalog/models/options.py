"""How a model is called: what an administrator may set for it, checked when stored and when used.

Everything is optional, and what is not set is not sent. The fields of a provider's own options have the
names that its documentation uses, so that people find them there.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from chatd.domain.message import Effort
from chatd.domain.part import Json

Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Temperature: TypeAlias = Annotated[float, Meta(ge=0, le=2)]
Penalty: TypeAlias = Annotated[float, Meta(ge=-2, le=2)]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
Place: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]
ContextSize: TypeAlias = Literal["low", "medium", "high"]
Domains: TypeAlias = tuple[Annotated[str, Meta(min_length=1, max_length=253)], ...]


class _Options(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    pass


class SearchLocation(_Options, frozen=True, kw_only=True):
    """Where searches are made from, about; for results that depend on it."""

    city: Place | None = None
    region: Place | None = None
    # Two letters.
    country: Annotated[str, Meta(pattern=r"^[A-Za-z]{2}$")] | None = None
    # As in the time zone database, such as Europe/Berlin.
    timezone: Place | None = None


class EffortRange(_Options, frozen=True, kw_only=True):
    """How hard a model thinks at most, and when no effort is asked for: unset, the model decides."""

    max: Effort
    default: Effort | None = None


class OpenAIOptions(_Options, frozen=True, kw_only=True):
    """OpenAI and Azure."""

    max_tool_calls: Count | None = None
    parallel_tool_calls: bool | None = None
    reasoning_summary: Literal["auto", "concise", "detailed"] | None = None
    max_completion_tokens: Count | None = None
    text_verbosity: Literal["low", "medium", "high"] | None = None
    store: bool | None = None
    prompt_cache_key: str | None = None
    service_tier: Literal["auto", "default", "flex", "scale", "priority"] | None = None
    web_search_enabled: bool = False
    search_context_size: ContextSize | None = None
    allowed_domains: Domains = ()
    user_location: SearchLocation | None = None
    include: tuple[str, ...] = ()
    instructions: str | None = None
    logit_bias: dict[str, int] | None = None
    log_probs: bool | None = None
    top_log_probs: Annotated[int, Meta(ge=0, le=20)] | None = None
    user: str | None = None
    prediction: Json = None
    metadata: dict[str, str] | None = None
    safety_identifier: str | None = None
    structured_outputs: bool | None = None
    strict_json_schema: bool | None = None


class Thinking(_Options, frozen=True, kw_only=True):
    budget_tokens: Count


class AnthropicOptions(_Options, frozen=True, kw_only=True):
    """Anthropic, and Claude on Bedrock and Vertex."""

    send_reasoning: bool = True
    thinking: Thinking | None = None
    thinking_display: Literal["summarized", "omitted"] | None = None
    disable_parallel_tool_use: bool = False
    web_search_enabled: bool = False
    allowed_domains: Domains = ()
    blocked_domains: Domains = ()
    # How many searches one call of the model may make.
    max_uses: Count | None = None
    user_location: SearchLocation | None = None
    context_1m_enabled: bool = False
    service_tier: Literal["auto", "standard_only"] | None = None
    cache: Literal["off", "5m", "1h"] = "5m"

    def __post_init__(self) -> None:
        _expect_one_list(self.allowed_domains, self.blocked_domains)


class ThinkingConfig(_Options, frozen=True, kw_only=True):
    thinking_budget: Annotated[int, Meta(ge=0)] | None = None
    thinking_level: Literal["minimal", "low", "medium", "high"] | None = None
    include_thoughts: bool | None = None

    def __post_init__(self) -> None:
        if self.thinking_budget is not None and self.thinking_level is not None:
            raise ValueError("Set either thinking_budget or thinking_level, not both")


class SafetySetting(_Options, frozen=True, kw_only=True):
    category: str
    threshold: str


class GoogleOptions(_Options, frozen=True, kw_only=True):
    thinking_config: ThinkingConfig | None = None
    web_search_enabled: bool = False
    # Only on Vertex.
    blocked_domains: Domains = ()
    cached_content: str | None = None
    safety_settings: tuple[SafetySetting, ...] = ()
    threshold: str | None = None


class CompatibleOptions(_Options, frozen=True, kw_only=True):
    """Any server that speaks Chat Completions."""

    user: str | None = None
    extra_body: dict[str, Json] | None = None


class RoutedReasoning(_Options, frozen=True, kw_only=True):
    enabled: bool | None = None
    exclude: bool | None = None
    max_tokens: Count | None = None


class OpenRouterProvider(_Options, frozen=True, kw_only=True):
    order: tuple[str, ...] = ()
    allow_fallbacks: bool | None = None
    require_parameters: bool | None = None
    data_collection: Literal["allow", "deny"] | None = None
    only: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    quantizations: tuple[str, ...] = ()
    sort: str | None = None


class OpenRouterOptions(_Options, frozen=True, kw_only=True):
    reasoning: RoutedReasoning | None = None
    parallel_tool_calls: bool | None = None
    extra_body: dict[str, Json] | None = None
    include_usage: bool | None = None
    logit_bias: dict[str, int] | None = None
    log_probs: bool | None = None
    user: str | None = None
    provider: OpenRouterProvider | None = None
    web_search_enabled: bool = False
    search_context_size: ContextSize | None = None
    allowed_domains: Domains = ()
    blocked_domains: Domains = ()
    # Of one search, and of all searches of one call of the model.
    max_results: Count | None = None
    max_total_results: Count | None = None
    user_location: SearchLocation | None = None

    def __post_init__(self) -> None:
        _expect_one_list(self.allowed_domains, self.blocked_domains)


class VercelProviderOptions(_Options, frozen=True, kw_only=True):
    order: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


class VercelOptions(_Options, frozen=True, kw_only=True, rename={"provider_options": "providerOptions"}):
    reasoning: RoutedReasoning | None = None
    parallel_tool_calls: bool | None = None
    provider_options: VercelProviderOptions | None = None
    user: str | None = None
    logit_bias: dict[str, int] | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Meta(ge=0, le=20)] | None = None
    extra_body: dict[str, Json] | None = None


class BedrockOptions(_Options, frozen=True, kw_only=True):
    """Models on Bedrock that are not Claude: fields that only the model itself knows."""

    additional_fields: dict[str, Json] | None = None


class CallOptions(_Options, frozen=True, kw_only=True):
    """Everything that is set for the calls of one model. Options of another provider are refused."""

    max_output_tokens: Count | None = None
    temperature: Temperature | None = None
    top_p: Share | None = None
    top_k: Count | None = None
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    reasoning_effort: EffortRange | None = None
    # Unset: decided by what is known of the model.
    use_responses_api: bool | None = None

    openai: OpenAIOptions | None = None
    anthropic: AnthropicOptions | None = None
    google: GoogleOptions | None = None
    openaicompat: CompatibleOptions | None = None
    openrouter: OpenRouterOptions | None = None
    vercel: VercelOptions | None = None
    bedrock: BedrockOptions | None = None

    @property
    def searches_web(self) -> bool:
        """Whether the provider may search the web while it answers."""
        groups = (self.openai, self.anthropic, self.google, self.openrouter)
        return any(group is not None and group.web_search_enabled for group in groups)

    def __post_init__(self) -> None:
        efforts, scale = self.reasoning_effort, list(Effort)
        if efforts is None or efforts.default is None:
            return
        if scale.index(efforts.default) > scale.index(efforts.max):
            raise ValueError("The default reasoning effort is above the maximum")


def _expect_one_list(allowed: Domains, blocked: Domains) -> None:
    if allowed and blocked:
        raise ValueError("Set either allowed_domains or blocked_domains, not both")
