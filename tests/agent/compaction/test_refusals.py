"""What is guessed of a limit that no provider tells: two refused prompts, and perhaps one in a later turn."""

from types import SimpleNamespace
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from chatd.agent.compaction.refusals import TOO_LONG, Refusals, RefusedPrompt
from chatd.agent.compaction.room import FIT_PERCENT
from chatd.domain.ids import MessageId
from chatd.domain.usage.fullness import OVERFLOW_PERCENT
from chatd.errors import ProviderError
from chatd.providers.model import Model

LEAST = 2_000
TURN, NEXT_TURN = MessageId(1), MessageId(9)
MODEL = cast("Model", SimpleNamespace(name="desk/one", context_limit=0))


def untold() -> ProviderError:
    return ProviderError("config", "Too long.", fault=TOO_LONG)


def refused(tokens: int, turn: MessageId = TURN, accepted: int = 0) -> RefusedPrompt:
    return RefusedPrompt(raw=tokens, tokens=tokens, accepted=accepted, least=LEAST, turn=turn)


def test_the_first_guess_is_between_the_smallest_prompt_and_the_refused_one() -> None:
    refusals = Refusals()
    refusals.learn(MODEL, untold(), refused(200_000))

    assert refusals.limit(MODEL) == 20_000


def test_what_was_accepted_is_the_guess_if_the_refused_prompt_is_not_much_longer() -> None:
    refusals = Refusals()
    refusals.learn(MODEL, untold(), refused(100_000, accepted=90_000))

    assert refusals.limit(MODEL) == 90_000


def test_the_second_guess_is_what_was_accepted_or_the_smallest_prompt() -> None:
    refusals = Refusals()
    refusals.learn(MODEL, untold(), refused(200_000))
    refusals.learn(MODEL, untold(), refused(15_000))

    assert refusals.limit(MODEL) == LEAST


def test_what_was_accepted_counts_for_nothing_when_less_is_refused() -> None:
    refusals = Refusals()
    refusals.learn(MODEL, untold(), refused(100_000, accepted=90_000))
    refusals.learn(MODEL, untold(), refused(67_000, accepted=90_000))

    assert refusals.limit(MODEL) == LEAST


def test_the_smallest_prompt_is_halved_when_it_is_refused() -> None:
    refusals = Refusals()
    refusals.learn(MODEL, untold(), refused(1_800))

    assert refusals.limit(MODEL) == 900


def test_a_guess_stays_low_for_the_rest_of_its_turn_and_then_more_is_tried() -> None:
    refusals = Refusals()
    refusals.learn(MODEL, untold(), refused(200_000))
    refusals.learn(MODEL, untold(), refused(18_000))

    assert refusals.accept(MODEL, 1_900, TURN) == LEAST
    assert refusals.accept(MODEL, 2_000, NEXT_TURN) == refusals.limit(MODEL) == 6_000


def test_a_refusal_in_a_later_turn_settles_it() -> None:
    refusals = Refusals()
    refusals.learn(MODEL, untold(), refused(200_000))
    refusals.learn(MODEL, untold(), refused(18_000))
    refusals.accept(MODEL, 2_500, NEXT_TURN)
    refusals.learn(MODEL, untold(), refused(5_500, NEXT_TURN))

    assert refusals.limit(MODEL) == 2_500
    assert refusals.accept(MODEL, 2_600, MessageId(99)) == 2_600


def test_what_a_provider_tells_replaces_a_guess() -> None:
    refusals = Refusals()
    refusals.learn(MODEL, untold(), refused(200_000))
    told = ProviderError("config", "Too long.", fault=TOO_LONG)
    told.context_max, told.context_used = 8_000, 16_000
    refusals.learn(MODEL, told, refused(10_000))

    assert refusals.limit(MODEL) == 8_000
    assert refusals.percent(MODEL.name) == 160
    assert refusals.accept(MODEL, 7_000, NEXT_TURN) == 7_000
    assert refusals.limit(MODEL) == 8_000


@given(
    limit=st.integers(LEAST, 200_000),
    turns=st.lists(st.lists(st.integers(1_000, 2_000_000), min_size=1, max_size=8), min_size=1, max_size=5),
)
def test_an_unknown_limit_costs_two_refused_prompts_in_one_turn_and_one_later(
    limit: int, turns: list[list[int]]
) -> None:
    """Whatever is wanted to be sent, shortened as prompts are."""
    refusals = Refusals()
    refused_in: list[int] = []
    for turn, wanted in enumerate(turns):
        times = 0
        for tokens in wanted:
            while (sent := _fitting(tokens, refusals.limit(MODEL))) > limit:
                times += 1
                refusals.learn(MODEL, untold(), refused(sent, MessageId(turn)))
            refusals.accept(MODEL, sent, MessageId(turn))
        if times:
            refused_in.append(times)

    assert refused_in[:1] <= [2]
    assert sum(refused_in[1:]) <= 1


def _fitting(tokens: int, limit: int) -> int:
    is_too_long = limit and tokens * 100 >= limit * OVERFLOW_PERCENT
    return limit * FIT_PERCENT // 100 if is_too_long else tokens
