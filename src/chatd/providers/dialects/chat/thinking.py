"""How hard a model shall think, in the words of its server (pure)."""

from collections.abc import Callable, Mapping

from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Abilities, Reasoning, Target
from chatd.providers.dialects.shared.efforts import GEMINI_BUDGET_MIN, GEMINI_BUDGETS, gemini_level, nearest

_GEMINI_WORDS = (Effort.NONE, Effort.LOW, Effort.MEDIUM, Effort.HIGH)


def effort_fields(effort: Effort, target: Target, warnings: list[str]) -> dict[str, Json]:
    """The fields of a request that say it."""
    if target.quirks.gemini_compat:
        return _gemini(effort, target.abilities)
    style = target.quirks.effort_style
    is_deaf = target.type in {"openai", "azure"} and target.abilities.reasoning is Reasoning.NONE
    if style == "none" or is_deaf:
        warnings.append(f"{target.model} does not take a reasoning effort; it was left out.")
        return {}
    return _STYLES[style](nearest(effort, target.abilities.efforts or target.quirks.efforts))


_STYLES: Mapping[str, Callable[[Effort], dict[str, Json]]] = {
    "reasoning_effort": lambda effort: {"reasoning_effort": effort},
    "reasoning.effort": lambda effort: {"reasoning": {"effort": effort}},
    "thinking.type": lambda effort: {
        "thinking": {"type": "disabled" if effort is Effort.NONE else "enabled"}
    },
}


def _gemini(effort: Effort, abilities: Abilities) -> dict[str, Json]:
    match abilities.reasoning:
        case Reasoning.LEVEL:
            level = nearest(gemini_level(effort), abilities.efforts)
            return _thinking_config({"include_thoughts": True, "thinking_level": level})
        case Reasoning.BUDGET:
            budget = GEMINI_BUDGETS[effort]
            if budget == 0 and not abilities.can_stop_thinking:
                budget = GEMINI_BUDGET_MIN
            return _thinking_config({"include_thoughts": budget > 0, "thinking_budget": budget})
        case _:
            # Nothing is known of the model; these words all of them understand.
            return {"reasoning_effort": nearest(effort, _GEMINI_WORDS)}


def _thinking_config(config: dict[str, Json]) -> dict[str, Json]:
    # On the wire, too, Google's own fields are inside one of this name.
    return {"extra_body": {"google": {"thinking_config": config}}}
