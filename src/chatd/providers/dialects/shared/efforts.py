"""How hard a model shall think, where providers count or name it differently (pure)."""

from collections.abc import Mapping, Sequence
from typing import Final

from chatd.domain.message import Effort

SCALE: Final = tuple(Effort)

# In tokens, as models of these two families are told. What is not there needs no thinking at all.
CLAUDE_BUDGETS: Final[Mapping[Effort, int]] = {
    Effort.MINIMAL: 1_024,
    Effort.LOW: 4_096,
    Effort.MEDIUM: 10_240,
    Effort.HIGH: 20_480,
    Effort.XHIGH: 32_000,
    Effort.MAX: 48_000,
}
GEMINI_BUDGETS: Final[Mapping[Effort, int]] = {
    Effort.NONE: 0,
    Effort.MINIMAL: 1_024,
    Effort.LOW: 1_024,
    Effort.MEDIUM: 8_192,
    Effort.HIGH: 24_576,
    Effort.XHIGH: 24_576,
    Effort.MAX: 24_576,
}
# For models of Gemini's that cannot be told not to think.
GEMINI_BUDGET_MIN = 1_024
_GEMINI_LEVELS: Final[Mapping[Effort, Effort]] = {
    Effort.NONE: Effort.MINIMAL,
    Effort.XHIGH: Effort.HIGH,
    Effort.MAX: Effort.HIGH,
}


def nearest(effort: Effort, accepted: Sequence[Effort]) -> Effort:
    """The weakest that is accepted and at least as strong; else the strongest. If none is known: itself."""
    if not accepted:
        return effort
    enough = [each for each in accepted if SCALE.index(each) >= SCALE.index(effort)]
    return min(enough, key=SCALE.index) if enough else max(accepted, key=SCALE.index)


def gemini_level(effort: Effort) -> Effort:
    """From its third generation on Gemini knows levels, and fewer of them."""
    return _GEMINI_LEVELS.get(effort, effort)
