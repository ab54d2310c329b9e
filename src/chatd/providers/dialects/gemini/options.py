"""What an administrator has set for a model, as fields of a request (pure)."""

from collections.abc import Mapping
from typing import Final

from chatd.catalog.models.options import GoogleOptions
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.gemini.thinking import thinking

_SAMPLING: Final[Mapping[str, str]] = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
}
_HARMS: Final = (
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
)


def generation_config(
    head: Head, options: GoogleOptions, target: Target, warnings: list[str]
) -> dict[str, Json]:
    config: dict[str, Json] = {}
    for option, name in _SAMPLING.items():
        value = getattr(target.options, option)
        if value is None:
            continue
        if target.abilities.sampling:
            config[name] = value
        else:
            warnings.append(f"{option} was left out: this model does not take it")
    limit = head.max_output_tokens or target.options.max_output_tokens
    if limit is not None:
        config["maxOutputTokens"] = limit
    if target.options.stop:
        config["stopSequences"] = target.options.stop
    if target.options.seed is not None:
        config["seed"] = target.options.seed
    if thoughts := thinking(head.effort, options.thinking_config, target.abilities, warnings):
        config["thinkingConfig"] = thoughts
    return config | _response_format(head, warnings)


def _response_format(head: Head, warnings: list[str]) -> dict[str, Json]:
    wanted = head.response_format
    if wanted is None:
        return {}
    if head.tools:
        warnings.append("response_format was left out: Gemini does not take it together with tools")
        return {}
    schema = {"responseJsonSchema": wanted.schema} if wanted.type == "json_schema" else {}
    return {"responseMimeType": "application/json", **schema}


def safety_settings(options: GoogleOptions) -> list[Json]:
    settings: dict[str, str] = {}
    if options.threshold is not None:
        settings = dict.fromkeys(_HARMS, options.threshold)
    settings |= {setting.category: setting.threshold for setting in options.safety_settings}
    return [{"category": category, "threshold": threshold} for category, threshold in settings.items()]
