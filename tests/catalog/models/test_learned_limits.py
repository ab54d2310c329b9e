"""Context limits that were told with a refusal, or that we guess from one; and what makes us forget them."""

from msgspec.structs import replace

from chatd.catalog.catalog import open_catalog
from chatd.catalog.documents import COMPACTION, CONTEXT_LIMITS
from chatd.catalog.models.learned_limits import (
    GUESS_MICROS,
    LEARNED_MAX,
    LIMIT_TOKENS_MIN,
    LearnedLimits,
    as_learned,
    current,
    limit_of,
    with_guess,
    with_limit,
    with_raised,
)
from chatd.catalog.models.store import CatalogStore
from chatd.domain.ids import Micros, UserId
from chatd.storage.transactions.transact import Store
from tests.catalog.world import DECLARED, ONE, SECRETS, World
from tests.words import OWNER

NOW = Micros(1_000_000_000_000)
LARGE = replace(ONE, context_limit=200_000)


def learned(tokens: int = 32_768) -> LearnedLimits:
    known = with_limit(LearnedLimits(), LARGE, tokens)
    assert known is not None
    return known


def test_what_the_provider_told_counts_instead_of_what_was_set() -> None:
    assert as_learned(learned(), LARGE) == replace(LARGE, context_limit=32_768)
    assert as_learned(learned(), replace(LARGE, id="another")).context_limit == 200_000


def test_what_was_learned_holds_until_the_settings_of_the_model_change() -> None:
    known = learned()

    assert limit_of(known, replace(LARGE, display_name="Large", is_default=True)) == 32_768
    for changed in (replace(LARGE, context_limit=100_000), replace(LARGE, model="two")):
        assert limit_of(known, changed) == changed.context_limit


def test_a_limit_that_tells_nothing_new_is_not_learned() -> None:
    for tokens in (0, LIMIT_TOKENS_MIN - 1, 200_000, 300_000):
        assert with_limit(LearnedLimits(), LARGE, tokens) is None
    assert with_limit(learned(), LARGE, 32_768) is None
    smaller = with_limit(learned(), LARGE, 16_384)
    assert smaller is not None
    assert (len(smaller.limits), limit_of(smaller, LARGE)) == (1, 16_384)


def test_no_more_limits_are_kept_than_there_may_be_models() -> None:
    known = LearnedLimits()
    for number in range(LEARNED_MAX + 5):
        known = with_limit(known, replace(LARGE, id=f"model {number}"), 32_768) or known

    assert len(known.limits) == LEARNED_MAX
    assert known.limits[0].model_id == "model 5"


async def test_a_limit_that_was_learned_is_known_to_all_chats_and_after_a_restart(world: World) -> None:
    await world.catalog_store.change_model(ONE.id, lambda model: replace(model, context_limit=200_000))
    await world.catalog.learn_limit("desk/one", 32_768)
    config, _ = await world.catalog.model("desk/one")

    assert limit_of(await world.catalog.learned_limits(), config) == 32_768
    restarted = CatalogStore(Store(world.db, world.bus), DECLARED, SECRETS)
    async with open_catalog(restarted, world.bus, world.clock) as later:
        assert limit_of(await later.learned_limits(), config) == 32_768


async def test_what_was_learned_is_read_once_and_not_with_each_model(world: World) -> None:
    for _ in range(3):
        await world.catalog.learned_limits()

    assert world.db.reads == 1


async def test_limits_that_cannot_be_read_are_no_limits(world: World) -> None:
    await world.db.write(lambda tx: tx.run("save_setting", CONTEXT_LIMITS, '{"limits": 5}'))
    async with open_catalog(world.catalog_store, world.bus, world.clock) as catalog:
        assert await catalog.learned_limits() == LearnedLimits()


async def test_a_model_that_is_gone_teaches_nothing(world: World) -> None:
    await world.catalog.learn_limit("desk/gone", 32_768)

    assert await world.catalog.learned_limits() == LearnedLimits()


def guessed(tokens: int, *, now: Micros = NOW) -> LearnedLimits:
    known = with_guess(LearnedLimits(), LARGE, tokens, now=now)
    assert known is not None
    return known


def test_a_guess_holds_for_a_day_and_until_the_settings_of_the_model_change() -> None:
    known = guessed(30_000)

    assert limit_of(current(known, Micros(NOW + GUESS_MICROS - 1)), LARGE) == 30_000
    assert limit_of(current(known, Micros(NOW + GUESS_MICROS)), LARGE) == 200_000
    assert limit_of(current(known, NOW), replace(LARGE, context_limit=100_000)) == 100_000


def test_a_larger_guess_counts_only_when_the_smaller_one_holds_no_longer() -> None:
    known = guessed(30_000)

    assert with_guess(known, LARGE, 40_000, now=NOW) is None
    later = with_guess(known, LARGE, 40_000, now=Micros(NOW + GUESS_MICROS))
    assert later is not None
    assert [limit.tokens for limit in later.limits] == [40_000]


def test_a_guess_is_raised_to_what_the_model_has_taken() -> None:
    known = guessed(30_000)

    assert with_raised(known, LARGE, 30_000) is None
    assert with_raised(known, replace(LARGE, id="another"), 90_000) is None
    assert with_raised(known, LARGE, 30_001) == guessed(30_001)


async def test_a_guess_counts_for_its_user_and_after_a_restart(world: World) -> None:
    await world.catalog_store.change_model(ONE.id, lambda model: replace(model, context_limit=200_000))
    await world.catalog_store.documents.change_thresholds_of(OWNER, {"desk/one": 40})
    await world.catalog.guess_limit("desk/one", OWNER, 32_768)
    await world.catalog_store.documents.change_thresholds_of(OWNER, {"desk/two": 50})
    config, _ = await world.catalog.model("desk/one")

    restarted = CatalogStore(Store(world.db, world.bus), DECLARED, SECRETS)
    async with open_catalog(restarted, world.bus, world.clock) as later:
        assert limit_of(await later.guessed_limits(OWNER), config) == 32_768
        assert await later.guessed_limits(UserId("another")) == LearnedLimits()
        assert await later.threshold(OWNER, "desk/one") == 40

        await later.raise_guess("desk/one", OWNER, 40_000)
        assert limit_of(await later.guessed_limits(OWNER), config) == 40_000
        assert await later.threshold(OWNER, "desk/one") == 40


async def test_guesses_that_cannot_be_read_are_none(world: World) -> None:
    await world.db.write(lambda tx: tx.run("save_user_setting", OWNER, COMPACTION, '{"guesses": 5}'))

    assert await world.catalog.guessed_limits(OWNER) == LearnedLimits()
