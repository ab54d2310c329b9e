"""What an administrator has set for a model, as fields of a request (pure)."""

from typing import Final

from chatd.domain.part import Json
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Head

# Settings that Converse has no field for; the model's own go into `additional_fields`.
_UNKNOWN: Final = ("top_k", "presence_penalty", "frequency_penalty", "seed")
_TEMPERATURE_MAX = 1.0
# What is left for the answer when thinking would use up everything.
_ANSWER_TOKENS_MIN = 1024


def inference_config(
    head: Head, target: Target, extra: dict[str, Json], warnings: list[str]
) -> dict[str, Json]:
    options = target.options
    config: dict[str, Json] = {}
    budget = extra["thinking"]["budget_tokens"] if "thinking" in extra else 0
    limit = head.max_output_tokens or options.max_output_tokens
    if limit is not None and budget and limit <= budget:
        limit = budget + _ANSWER_TOKENS_MIN
        warnings.append(f"The output limit was raised to {limit}, above what the model may think")
    if limit is not None:
        config["maxTokens"] = limit
    sampling = {"temperature": options.temperature, "topP": options.top_p}
    for name, value in sampling.items():
        if value is None:
            continue
        if not target.abilities.sampling or budget:
            warnings.append(f"{name} was left out: the model does not take it")
        elif name == "temperature" and value > _TEMPERATURE_MAX:
            config[name] = _TEMPERATURE_MAX
            warnings.append(f"The temperature was lowered to {_TEMPERATURE_MAX}, the highest on Bedrock")
        else:
            config[name] = value
    if stops := [stop for stop in options.stop if stop]:
        config["stopSequences"] = stops
    if head.response_format is not None:
        warnings.append("response_format was left out: Converse does not take it")
    warnings += [
        f"{name} was left out: Converse does not take it"
        for name in _UNKNOWN
        if getattr(options, name) is not None
    ]
    return config
