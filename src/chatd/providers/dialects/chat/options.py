"""What an administrator has set for a model, as fields of a request (pure)."""

from collections.abc import Callable, Mapping

import msgspec

from chatd.catalog.models.options import (
    CompatibleOptions,
    OpenAIOptions,
    OpenRouterOptions,
    VercelOptions,
)
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Target
from chatd.providers.dialects.shared.tiers import service_tier

# Whose options count for which type of provider; all others speak the plain dialect.
_GROUPS: Mapping[str, str] = {
    "openai": "openai",
    "azure": "openai",
    "openrouter": "openrouter",
    "vercel": "vercel",
}
_ALL_GROUPS = ("openai", "anthropic", "google", "openaicompat", "openrouter", "vercel", "bedrock")

# Our name, theirs; and those of them that a model without sampling refuses.
_SAMPLING: Mapping[str, str] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
_OPENAI: Mapping[str, str] = {
    "text_verbosity": "verbosity",
    "store": "store",
    "prompt_cache_key": "prompt_cache_key",
    "user": "user",
    "prediction": "prediction",
    "metadata": "metadata",
    "safety_identifier": "safety_identifier",
    "parallel_tool_calls": "parallel_tool_calls",
    "logit_bias": "logit_bias",
    "log_probs": "logprobs",
    "top_log_probs": "top_logprobs",
}
_SAMPLING_OF_OPENAI = frozenset({"logit_bias", "log_probs", "top_log_probs"})
_ONLY_RESPONSES = (
    "max_tool_calls",
    "reasoning_summary",
    "web_search_enabled",
    "include",
    "instructions",
    "structured_outputs",
    "strict_json_schema",
)


def option_fields(target: Target, warnings: list[str]) -> dict[str, Json]:
    """Everything that is set and that this server understands."""
    options = target.options
    fields = _general(target, warnings)
    group = _GROUPS.get(target.type, "openaicompat")
    warnings += [
        f"The options for {name} do not count for {target.provider}."
        for name in _ALL_GROUPS
        if name != group and getattr(options, name) is not None
    ]
    own = getattr(options, group)
    return fields if own is None else fields | _OWN[group](own, target, warnings)


def extra_fields(target: Target) -> dict[str, Json]:
    """Fields that are taken over as they are, whatever they say."""
    own = getattr(target.options, _GROUPS.get(target.type, "openaicompat"))
    return getattr(own, "extra_body", None) or {}


def pinned_limit(target: Target) -> int | None:
    """How much may be said, where OpenAI's own option says it."""
    own = target.options.openai
    return own.max_completion_tokens if own is not None and _GROUPS.get(target.type) == "openai" else None


def _general(target: Target, warnings: list[str]) -> dict[str, Json]:
    options, quirks = target.options, target.quirks
    fields: dict[str, Json] = {}
    for name, field in _SAMPLING.items():
        value = getattr(options, name)
        if value is None:
            continue
        if target.abilities.sampling and not (name == "temperature" and quirks.no_temperature):
            fields[field] = value
        else:
            warnings.append(f"{target.model} does not take {name}; it was left out.")
    if options.top_k is not None:
        if quirks.top_k and target.abilities.sampling:
            fields["top_k"] = options.top_k
        else:
            warnings.append(f"{target.model} does not take top_k; it was left out.")
    if options.stop:
        fields["stop"] = options.stop
    if options.seed is not None:
        fields["seed"] = options.seed
    return fields


def _openai(own: OpenAIOptions, target: Target, warnings: list[str]) -> dict[str, Json]:
    fields: dict[str, Json] = {}
    for name, field in _OPENAI.items():
        value = getattr(own, name)
        if value is None:
            continue
        if name in _SAMPLING_OF_OPENAI and not target.abilities.sampling:
            warnings.append(f"{target.model} does not take {name}; it was left out.")
        else:
            fields[field] = value
    if tier := service_tier(own.service_tier, target, warnings):
        fields["service_tier"] = tier
    if fields.get("top_logprobs") is not None:
        # OpenAI refuses the one without the other.
        fields["logprobs"] = True
    warnings += [
        f"{name} needs the Responses API; it was left out." for name in _ONLY_RESPONSES if getattr(own, name)
    ]
    return fields


def _compatible(own: CompatibleOptions, _target: Target, _warnings: list[str]) -> dict[str, Json]:
    return _set({"user": own.user})


def _openrouter(own: OpenRouterOptions, _target: Target, _warnings: list[str]) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "reasoning": own.reasoning,
        "parallel_tool_calls": own.parallel_tool_calls,
        "logit_bias": own.logit_bias,
        "logprobs": own.log_probs,
        "user": own.user,
        "provider": own.provider,
    }
    if own.include_usage is not None:
        fields["usage"] = {"include": own.include_usage}
    return _set(fields)


def _vercel(own: VercelOptions, _target: Target, _warnings: list[str]) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "reasoning": own.reasoning,
        "parallel_tool_calls": own.parallel_tool_calls,
        "user": own.user,
        "logit_bias": own.logit_bias,
        "logprobs": own.logprobs,
        "top_logprobs": own.top_logprobs,
    }
    if own.provider_options is not None:
        fields["providerOptions"] = {"gateway": own.provider_options}
    return _set(fields)


def _set(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: msgspec.to_builtins(value) for name, value in fields.items() if value is not None}


_OWN: Mapping[str, Callable[..., dict[str, Json]]] = {
    "openai": _openai,
    "openaicompat": _compatible,
    "openrouter": _openrouter,
    "vercel": _vercel,
}
