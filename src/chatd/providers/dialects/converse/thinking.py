"""How hard a model shall think, in its own words: Converse has none (pure)."""

from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Abilities, Reasoning
from chatd.providers.dialects.shared.efforts import CLAUDE_BUDGETS, nearest


def reasoning_fields(effort: Effort | None, abilities: Abilities, warnings: list[str]) -> dict[str, Json]:
    """How hard to think, in the model's own words: Converse has none."""
    if effort is None:
        return {}
    if abilities.reasoning is Reasoning.EFFORT:
        return {"reasoning_effort": nearest(effort, abilities.efforts).value}
    if abilities.reasoning is Reasoning.BUDGET:
        budget = CLAUDE_BUDGETS.get(effort)
        return {} if budget is None else {"thinking": {"type": "enabled", "budget_tokens": budget}}
    if abilities.reasoning is not Reasoning.NONE:
        warnings.append("The reasoning effort was left out: set it among the model's additional fields")
    return {}
