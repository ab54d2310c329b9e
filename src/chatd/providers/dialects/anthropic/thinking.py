"""How hard the model is asked to think, in the words that it understands (pure)."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from chatd.catalog.models.options import AnthropicOptions
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Abilities, Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.anthropic.blocks import THINKING_KINDS, Warnings
from chatd.providers.dialects.shared.efforts import CLAUDE_BUDGETS, SCALE, nearest

# Less the provider refuses; and this much is left for the answer itself.
BUDGET_MIN = 1_024
ANSWER_TOKENS = 1_024

# The wire's scale begins here.
_WEAKEST = Effort.LOW
_DISABLED: Mapping[str, Json] = {"thinking": {"type": "disabled"}}


class Plan(Struct, frozen=True):
    """Fields of the request. The budget is None where the model decides by itself, or does not think."""

    fields: Mapping[str, Json] = {}
    budget: int | None = None

    @property
    def thinks(self) -> bool:
        return self.fields.get("thinking", {}).get("type") in {"enabled", "adaptive"}


class _Block(Struct):
    type: str


class _Message(Struct):
    role: str
    content: list[_Block]


_messages = msgspec.json.Decoder(list[_Message])


def can_think_on(items: bytes) -> bool:
    """Whether a model that thinks by a budget may be asked to go on with these messages.

    All that it says and hears from tools since the user spoke is one turn to it, and a turn in which it
    thinks has to begin with its thoughts. One that another model began does not, nor one whose thoughts were
    lost because the turn was interrupted.
    """
    turn: list[_Message] = []
    for message in reversed(_messages.decode(b"[" + items + b"]")):
        if message.role == "user" and message.content[0].type != "tool_result":
            break
        turn.append(message)
    replies = [message for message in reversed(turn) if message.role == "assistant"]
    return not replies or replies[0].content[0].type in THINKING_KINDS


def plan_thinking(head: Head, target: Target, warnings: Warnings) -> Plan:
    """A budget that is set for the model counts more than what one turn asks for."""
    options = target.options.anthropic or AnthropicOptions()
    abilities = target.abilities
    if options.thinking is not None and not (
        abilities.reasoning is Reasoning.ADAPTIVE and abilities.thinking_display
    ):
        return _with_budget(options.thinking.budget_tokens, options, abilities, warnings)
    if abilities.reasoning is Reasoning.ADAPTIVE:
        return _adaptive(head.effort, options, abilities)
    if head.effort is None or head.effort is Effort.NONE:
        return Plan()
    if abilities.reasoning is Reasoning.BUDGET:
        return _with_budget(CLAUDE_BUDGETS[head.effort], options, abilities, warnings)
    warnings.append("The reasoning effort was left out: this model has none.")
    return Plan()


def _adaptive(effort: Effort | None, options: AnthropicOptions, abilities: Abilities) -> Plan:
    if effort is Effort.NONE and abilities.can_stop_thinking:
        return Plan(_DISABLED)
    is_wanted = effort is not None or options.thinking is not None or options.thinking_display is not None
    if not is_wanted and not abilities.thinks_unasked:
        return Plan()
    display = options.thinking_display or ("summarized" if abilities.thinking_display else None)
    fields: dict[str, Json] = {"thinking": {"type": "adaptive"} | ({"display": display} if display else {})}
    if effort is not None:
        fields["output_config"] = {"effort": _accepted(effort, abilities)}
    return Plan(fields)


def _accepted(effort: Effort, abilities: Abilities) -> Effort:
    """The wanted effort, or the nearest one above it that the model knows, or its highest."""
    wanted = max(effort, _WEAKEST, key=SCALE.index)
    known = [known for known in abilities.efforts if SCALE.index(known) >= SCALE.index(_WEAKEST)]
    return nearest(wanted, known)


def _with_budget(wanted: int, options: AnthropicOptions, abilities: Abilities, warnings: Warnings) -> Plan:
    budget = max(wanted, BUDGET_MIN)
    if abilities.output_limit:
        budget = max(min(budget, abilities.output_limit - ANSWER_TOKENS), BUDGET_MIN)
    if budget != wanted:
        warnings.append(f"The thinking budget was changed to {budget}, which this model can do.")
    thinking: dict[str, Json] = {"type": "enabled", "budget_tokens": budget}
    if options.thinking_display is not None:
        thinking["display"] = options.thinking_display
    return Plan({"thinking": thinking}, budget)
