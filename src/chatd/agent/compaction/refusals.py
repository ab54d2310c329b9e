"""What refused prompts have told of how much a model takes (pure).

What a provider says of its limit is remembered for the model, and so is what we guess of it: see
`learn_refusal` in `room.py`. How far our estimates were off is remembered for this chat, as long as its
history is in memory.
"""

from msgspec import Struct

from chatd.errors import ProviderError
from chatd.providers.model import Model

# The fault of a prompt that was too long.
TOO_LONG = "context_too_large"
# Refused prompts for one history, before the turn ends with the provider's reason.
REFUSALS_MAX = 6
# Where the provider does not tell, so much of what it refused is taken to fit; and what it counted is taken
# to be more than its limit by so much.
GUESSED_LIMIT_PERCENT = 75
GUESSED_USED_PERCENT = 125
# A larger number counts something else than the prompt.
PERCENT_MAX = 800
FURTHER_PERCENT = 150


class Told(Struct, frozen=True):
    # How many tokens the model takes.
    limit: int
    # What the provider counted for each hundred tokens of our estimate; 0: it did not tell.
    percent: int
    # The provider did not tell its limit.
    is_guess: bool = False


class Refusals:
    """By the name of the model."""

    def __init__(self) -> None:
        self._told: dict[str, Told] = {}
        # The largest prompt that the model has taken, in tokens.
        self._accepted: dict[str, int] = {}

    def limit(self, model: Model) -> int:
        """How many tokens the model takes, as far as it is known; 0: unknown."""
        told = self._told.get(model.name)
        return min((limit for limit in (model.context_limit, told.limit if told else 0) if limit), default=0)

    def percent(self, model: Model) -> int:
        """What its provider counted for each hundred tokens of our estimate; 0: it never refused one."""
        told = self._told.get(model.name)
        return told.percent if told is not None else 0

    def learn(self, model: Model, error: ProviderError, *, raw_tokens: int, next_tokens: int) -> None:
        """A prompt was refused that we had estimated: alone, and corrected by what was known."""
        most = error.context_max or 0
        guess = max(next_tokens * GUESSED_LIMIT_PERCENT // 100, self._accepted.get(model.name, 0))
        limit = most or guess
        used = error.context_used or (max(next_tokens, most * GUESSED_USED_PERCENT // 100) if most else 0)
        percent = min(used * 100 // raw_tokens if raw_tokens else 0, PERCENT_MAX)
        # Refused once more: whatever it counts, it is more than we thought.
        more = self.percent(model) * FURTHER_PERCENT // 100
        self._told[model.name] = Told(max(1, limit), max(percent, more), is_guess=not most)

    def accept(self, model: Model, tokens: int) -> None:
        """The provider has counted a prompt that it took: it corrects our estimates, and a lower guess."""
        most = self._accepted[model.name] = max(tokens, self._accepted.get(model.name, 0))
        if (told := self._told.get(model.name)) is not None:
            limit = max(told.limit, most) if told.is_guess else told.limit
            self._told[model.name] = Told(limit, 0, told.is_guess)
