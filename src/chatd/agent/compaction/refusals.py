"""What refused prompts have told of how much a model takes (pure).

What a provider says of its limit is remembered for the model, and so is what we guess of it: see
`learn_refusal` in `room.py`. How far our estimates were off depends on the text as well, and is
remembered for this chat and its model: here, and with the next attempt or the summary in its projection, for
whoever drives it after a restart.

A provider that refuses and tells nothing leaves us between two numbers: the most that it has taken, and the
least that it has refused. The first guess is in the middle. Refused once more, it is what was taken, or the
smallest prompt that is of use: two refusals, and the third prompt is answered. From the next turn on the
guess is in the middle again, at the risk of one more refusal, and then no more.
"""

from math import isqrt

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.ids import MessageId
from chatd.errors import ProviderError
from chatd.providers.model import Model

# The fault of a prompt that was too long.
TOO_LONG = "context_too_large"
# Refused prompts for one history, before the turn ends with the provider's reason.
REFUSALS_MAX = 6
# What a provider counted that tells its limit alone is taken to be more than that by so much.
GUESSED_USED_PERCENT = 125
# A larger number counts something else than the prompt.
PERCENT_MAX = 800
FURTHER_PERCENT = 150
# What was taken is the guess, if the refused prompt was less than so many times as long.
NEAR_TIMES = 2


class RefusedPrompt(Struct, frozen=True, kw_only=True):
    """A prompt that was too long, in tokens."""

    # By our estimate alone.
    raw: int
    # As the provider will have counted it, as far as we knew.
    tokens: int
    # The most that this model has taken of this chat; 0: nothing yet.
    accepted: int = 0
    # The smallest prompt that is of use.
    least: int
    # The message that began the turn.
    turn: MessageId


class Guess(Struct, frozen=True, kw_only=True):
    """Of a limit that no provider has told."""

    # The least that was refused, and how often something was.
    refused: int
    times: int
    # The turn in which it began.
    turn: MessageId
    # There was a refusal in a later turn as well.
    is_settled: bool = False


class Learned(Struct, frozen=True):
    # How many tokens the model takes.
    limit: int
    # What the provider counted for each hundred tokens of our estimate; 0: it did not tell.
    percent: int
    # None: the provider told its limit.
    guess: Guess | None = None


class Refusals:
    """By the name of the model."""

    def __init__(self) -> None:
        self._learned: dict[str, Learned] = {}
        # The largest prompt that the model has taken, in tokens.
        self._accepted: dict[str, int] = {}

    def limit(self, model: Model) -> int:
        """How many tokens the model takes, as far as it is known; 0: unknown."""
        learned = self._learned.get(model.name)
        return min(
            (limit for limit in (model.context_limit, learned.limit if learned else 0) if limit), default=0
        )

    def percent(self, model: str) -> int:
        """What its provider counted for each hundred tokens of our estimate; 0: it never refused one."""
        learned = self._learned.get(model)
        return learned.percent if learned is not None else 0

    def learn(self, model: Model, error: ProviderError, refused: RefusedPrompt) -> None:
        most = error.context_max or 0
        used = error.context_used or (max(refused.tokens, most * GUESSED_USED_PERCENT // 100) if most else 0)
        percent = min(used * 100 // refused.raw if refused.raw else 0, PERCENT_MAX)
        # Refused once more: whatever it counts, it is more than we thought.
        more = self.percent(model.name) * FURTHER_PERCENT // 100
        limit, guess = (most, None) if most else self._guessed(model, refused)
        self._learned[model.name] = Learned(max(1, limit), max(percent, more), guess)

    def accept(self, model: Model, tokens: int, turn: MessageId) -> int:
        """The provider has counted a prompt that it took: that corrects our estimates, and a lower guess.

        Returns how many tokens the model takes, as far as that tells.
        """
        most = self._accepted[model.name] = max(tokens, self._accepted.get(model.name, 0))
        learned = self._learned.get(model.name)
        if learned is None:
            return most
        limit = learned.limit
        if (guess := learned.guess) is not None:
            tries_more = guess.times > 1 and guess.turn != turn and not guess.is_settled
            limit = max(limit, _between(most, guess.refused) if tries_more else most)
        self._learned[model.name] = Learned(limit, 0, guess)
        return limit if guess is not None else most

    def _guessed(self, model: Model, refused: RefusedPrompt) -> tuple[int, Guess]:
        """The limit, and what it rests on."""
        learned = self._learned.get(model.name)
        before = learned.guess if learned is not None else None
        accepted = max(refused.accepted, self._accepted.get(model.name, 0))
        # What was taken once may be refused today, or our estimate is off: then it tells nothing.
        taken = max((size for size in (accepted, refused.least) if size < refused.tokens), default=0)
        if before is None:
            guess = Guess(refused=refused.tokens, times=1, turn=refused.turn)
            return _between(taken, refused.tokens), guess
        guess = replace(
            before,
            refused=min(before.refused, refused.tokens),
            times=before.times + 1,
            is_settled=refused.turn != before.turn,
        )
        return taken or refused.tokens // 2, guess


def _between(taken: int, refused: int) -> int:
    if not taken:
        return refused // 2
    return taken if refused < taken * NEAR_TIMES else isqrt(taken * refused)
