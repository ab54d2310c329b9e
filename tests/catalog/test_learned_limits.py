"""The context limit that a provider told with a refusal, until the settings of the model change."""

from msgspec.structs import replace

from chatd.catalog.catalog import open_catalog
from chatd.catalog.documents import CONTEXT_LIMITS
from chatd.catalog.learned_limits import (
    LEARNED_MAX,
    LIMIT_TOKENS_MIN,
    LearnedLimits,
    as_learned,
    limit_of,
    with_limit,
)
from chatd.catalog.store import CatalogStore
from chatd.storage.transact import Store
from tests.catalog.world import DECLARED, ONE, SECRETS, World

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
