"""How hard a Gemini model thinks (pure)."""

from typing import Final

from chatd.catalog.models.options import ThinkingConfig
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Abilities, Reasoning
from chatd.providers.dialects.shared.efforts import GEMINI_BUDGET_MIN, GEMINI_BUDGETS, gemini_level, nearest

_LEVELS: Final = (Effort.MINIMAL, Effort.LOW, Effort.MEDIUM, Effort.HIGH)


def thinking(
    effort: Effort | None, pinned: ThinkingConfig | None, abilities: Abilities, warnings: list[str]
) -> dict[str, Json]:
    """The thinking configuration, empty if there is nothing to say.

    A pinned budget beats the effort of the call, which beats a pinned level.
    """
    pinned = pinned or ThinkingConfig()
    if abilities.reasoning not in {Reasoning.LEVEL, Reasoning.BUDGET}:
        if pinned != ThinkingConfig():
            warnings.append("thinking_config was left out: this model does not think")
        return {}
    config = _amount(effort, pinned, abilities, warnings)
    shown = pinned.include_thoughts
    # Asking to see thoughts of a model that must not think is refused.
    if shown is None and effort is not None and config.get("thinkingBudget") != 0:
        shown = True
    if shown is not None:
        config["includeThoughts"] = shown
    return config


def _amount(
    effort: Effort | None, pinned: ThinkingConfig, abilities: Abilities, warnings: list[str]
) -> dict[str, Json]:
    if pinned.thinking_budget is not None:
        return {"thinkingBudget": pinned.thinking_budget}
    if abilities.reasoning is Reasoning.LEVEL:
        wanted = effort or (Effort(pinned.thinking_level) if pinned.thinking_level else None)
        return {} if wanted is None else {"thinkingLevel": _level(wanted, abilities.efforts)}
    if pinned.thinking_level is not None:
        warnings.append("thinking_level was left out: this model takes a budget")
    return {} if effort is None else {"thinkingBudget": _budget(effort, abilities)}


def _level(wanted: Effort, accepted: tuple[Effort, ...]) -> str:
    """The weakest level that the model has and that is not below the wanted one; else its strongest."""
    levels = [level for level in _LEVELS if level in accepted] or list(_LEVELS)
    return nearest(gemini_level(wanted), levels).value


def _budget(effort: Effort, abilities: Abilities) -> int:
    budget = GEMINI_BUDGETS[effort]
    return budget if abilities.can_stop_thinking else max(budget, GEMINI_BUDGET_MIN)
