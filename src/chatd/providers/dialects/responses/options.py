"""What an administrator has set for a model, as fields of a request (pure)."""

from msgspec import Struct

from chatd.catalog.models.options import OpenAIOptions
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Target

ENCRYPTED_REASONING = "reasoning.encrypted_content"
LOG_PROBABILITIES = "message.output_text.logprobs"
_INCLUDES = frozenset(
    {
        ENCRYPTED_REASONING,
        LOG_PROBABILITIES,
        "file_search_call.results",
        "web_search_call.results",
        "web_search_call.action.sources",
        "message.input_image.image_url",
        "computer_call_output.output.image_url",
        "code_interpreter_call.outputs",
    }
)
LOG_PROBABILITIES_MAX = 20
_NOT_SPOKEN = ("top_k", "presence_penalty", "frequency_penalty", "stop", "seed")
_NOT_SPOKEN_HERE = ("logit_bias", "prediction", "structured_outputs")


def options_of(target: Target) -> OpenAIOptions:
    return target.options.openai or OpenAIOptions()


def stores(target: Target) -> bool:
    """Whether the provider keeps the answers."""
    return options_of(target).store or False


def log_probabilities(target: Target, warnings: list[str], *, reasons: bool) -> int | None:
    options = options_of(target)
    wanted = options.top_log_probs
    if wanted is None and options.log_probs:
        wanted = LOG_PROBABILITIES_MAX
    if wanted is not None and reasons:
        warnings.append("A model that reasons takes no log_probs; they were left out.")
        return None
    return wanted


def include(
    target: Target, log_probabilities: int | None, warnings: list[str], *, reasons: bool
) -> list[str]:
    asked = options_of(target).include
    warnings.extend(
        f"{name!r} is nothing that could be included; it was left out."
        for name in asked
        if name not in _INCLUDES
    )
    wanted = [name for name in asked if name in _INCLUDES]
    # A model that does not reason has none, and refuses to be asked for it.
    if not stores(target) and reasons:
        wanted.append(ENCRYPTED_REASONING)
    if log_probabilities is not None:
        wanted.append(LOG_PROBABILITIES)
    return list(dict.fromkeys(wanted))


def sampling(target: Target, warnings: list[str], *, reasons: bool) -> dict[str, Json]:
    wanted = {"temperature": target.options.temperature, "top_p": target.options.top_p}
    if target.abilities.sampling and not reasons:
        return wanted
    warnings.extend(
        f"This model takes no {name}; it was left out." for name, value in wanted.items() if value is not None
    )
    return {}


def warn_of_the_rest(target: Target, warnings: list[str]) -> None:
    """What was set, and has no word in this dialect."""
    named: list[tuple[Struct, str]] = [(target.options, name) for name in _NOT_SPOKEN]
    named += [(options_of(target), name) for name in _NOT_SPOKEN_HERE]
    warnings.extend(
        f"Responses know no {name}; it was left out."
        for options, name in named
        if getattr(options, name) not in (None, (), {})
    )
