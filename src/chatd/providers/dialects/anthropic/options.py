"""What an administrator has set for a model, as fields of a request (pure)."""

from chatd.domain.part import Json
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.anthropic.blocks import Warnings
from chatd.providers.dialects.anthropic.routes import NEW_VERSION, version
from chatd.providers.dialects.anthropic.thinking import ANSWER_TOKENS, Plan

# Where neither the call nor the table of models knows better: there is no request without a limit.
OUTPUT_TOKENS_DEFAULT = 4096
_SAMPLING = ("temperature", "top_p", "top_k")
_UNKNOWN_HERE = ("presence_penalty", "frequency_penalty", "seed")


def max_tokens(head: Head, target: Target, plan: Plan, warnings: Warnings) -> int:
    wanted = (
        head.max_output_tokens
        or target.options.max_output_tokens
        or target.abilities.output_limit
        or OUTPUT_TOKENS_DEFAULT
    )
    if plan.budget is None or wanted > plan.budget:
        return wanted
    raised = plan.budget + ANSWER_TOKENS
    warnings.append(f"The output limit was raised to {raised}, to leave room beside the thinking budget.")
    return raised


def sampling(target: Target, plan: Plan, warnings: Warnings) -> dict[str, Json]:
    options = target.options
    for name in _UNKNOWN_HERE:
        if getattr(options, name) is not None:
            warnings.append(f"The setting {name} was left out: this provider does not know it.")
    given = {name: getattr(options, name) for name in _SAMPLING if getattr(options, name) is not None}
    reason = _no_sampling_because(target, plan)
    if reason is None:
        return given
    warnings.extend(f"The setting {name} was left out: {reason}." for name in given)
    return {}


def _no_sampling_because(target: Target, plan: Plan) -> str | None:
    if version(target) == NEW_VERSION:
        return f"the API of {NEW_VERSION} refuses it"
    if plan.thinks:
        return "it does not go together with thinking"
    if not target.abilities.sampling:
        return "this model does not take it"
    return None
