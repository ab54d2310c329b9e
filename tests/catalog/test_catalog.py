"""What is remembered, for how long, and when it is forgotten."""

import asyncio
from contextlib import suppress

import msgspec
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from chatd.catalog import documents
from chatd.catalog.catalog import open_catalog
from chatd.catalog.documents import ADVISOR, Advisor
from chatd.catalog.models.declared import ModelDeclaration, ProviderDeclaration, declare
from chatd.catalog.models.options import CallOptions, CompatibleOptions
from chatd.catalog.models.rows import ProviderSettings, ProviderType
from chatd.catalog.models.store import CatalogStore
from chatd.catalog.remembered import PROMPTS_REMEMBERED_MAX
from chatd.domain.ids import UserId
from chatd.errors import ProviderError, Unavailable
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.storage.transactions.transact import Store
from tests.catalog.world import (
    ACME,
    ADVICE,
    BASE,
    DECLARED,
    DEFAULT,
    DEPLOYMENT,
    MODEL,
    MODELS,
    ONE,
    PROMPT,
    PROVIDERS,
    SECRETS,
    Entity,
    World,
    settle,
)
from tests.conftest import OWNER
from tests.traceability import proves


@proves("config-cache", 1, 5, 9, 24)
async def test_what_was_read_is_not_read_again_while_it_is_fresh(world: World, entity: Entity) -> None:
    first = await entity.read(world.catalog)
    await world.clock.advance(entity.ttl_seconds - 0.001)

    assert await entity.read(world.catalog) == first == entity.at_first
    assert world.db.reads == 1


@proves("config-cache", 2, 5, 10, 24)
async def test_it_is_read_again_at_the_very_moment_its_time_is_over(world: World, entity: Entity) -> None:
    await entity.read(world.catalog)
    await world.clock.advance(entity.ttl_seconds)
    await entity.read(world.catalog)

    assert world.db.reads == 2


@proves("api", 78)
@proves("config-cache", 3, 11, 24)
async def test_a_change_is_seen_by_the_next_reader(world: World, entity: Entity) -> None:
    await entity.read(world.catalog)
    await entity.change(world.catalog_store, "1")

    assert await entity.read(world.catalog) == "1"


@proves("config-cache", 4)
async def test_a_list_of_providers_cannot_be_changed_by_its_reader(world: World) -> None:
    settings = ProviderSettings(headers={"x-team": "blue"}, quirks={"nested": {"a": [1]}})
    await world.catalog_store.change_provider(ACME.id, lambda each: replace(each, settings=settings))

    for _ in range(3):
        acme = next(each for each in await world.catalog.providers() if each.id == ACME.id)
        assert acme.settings == settings
        acme.settings.headers["x-team"] = "red"
        acme.settings.quirks["nested"]["a"].append(2)


@proves("config-cache", 6)
async def test_the_options_of_a_model_cannot_be_changed_by_their_reader(world: World) -> None:
    options = CallOptions(openaicompat=CompatibleOptions(extra_body={"seed": [1]}))
    await world.catalog_store.change_model(ONE.id, lambda each: replace(each, options=options))

    for read in (world.catalog.model("desk/one"), world.catalog.model("desk/one"), world.catalog.model(None)):
        model, _ = await read
        assert model.options == options
        assert model.options.openaicompat is not None
        assert model.options.openaicompat.extra_body is not None
        model.options.openaicompat.extra_body["seed"] = "changed"


@proves("config-cache", 7)
async def test_that_there_is_no_such_model_is_not_remembered(world: World) -> None:
    await world.catalog.model("desk/later")
    before = world.db.reads
    assert (await world.catalog.model("desk/later"))[0].model == "one"
    assert world.db.reads == before + 1

    await world.catalog_store.add_model(replace(ONE, id="later", model="later"))
    assert (await world.catalog.model("desk/later"))[0].model == "later"


@proves("config-cache", 8)
async def test_a_changed_model_may_be_the_default(world: World) -> None:
    await MODEL.read(world.catalog)
    await DEFAULT.read(world.catalog)
    reads = world.db.reads

    world.bus.announce(CatalogChanged(kind=CatalogKind.MODEL, entity="desk/one"))
    await MODEL.read(world.catalog)
    await DEFAULT.read(world.catalog)

    assert world.db.reads == reads + 2


@proves("config-cache", 12)
async def test_callers_that_ask_at_once_share_one_reading(world: World, entity: Entity) -> None:
    async with asyncio.TaskGroup() as group:
        asking = [group.create_task(_read(entity, world)) for _ in range(8)]

    assert [task.result() for task in asking] == [entity.at_first] * 8
    assert world.db.reads == 1


@proves("config-cache", 13)
async def test_a_reading_from_before_a_change_serves_callers_that_wait_and_no_other(
    world: World, entity: Entity
) -> None:
    may_end = world.db.hold()
    async with asyncio.TaskGroup() as group:
        early = group.create_task(_read(entity, world))
        await settle()
        await entity.change(world.catalog_store, "1")
        may_end.set()

    assert early.result() == entity.at_first
    assert await entity.read(world.catalog) == "1"
    assert world.db.reads == 2


@proves("config-cache", 14, 15, 17)
async def test_a_late_reading_does_not_replace_a_newer_one(world: World, entity: Entity) -> None:
    first_may_end = world.db.hold()
    async with asyncio.TaskGroup() as group:
        early = group.create_task(_read(entity, world))
        await settle()
        await entity.change(world.catalog_store, "1")
        second_may_end = world.db.hold()
        late = group.create_task(_read(entity, world))
        await settle()
        second_may_end.set()
        await late
        first_may_end.set()
        await early

    assert (early.result(), late.result()) == (entity.at_first, "1")
    assert await entity.read(world.catalog) == "1"
    assert world.db.reads == 2


@proves("config-cache", 16)
async def test_a_reading_of_a_model_is_not_kept_when_the_providers_change_meanwhile(world: World) -> None:
    may_end = world.db.hold()
    async with asyncio.TaskGroup() as group:
        group.create_task(_read(MODEL, world))
        group.create_task(_read(DEFAULT, world))
        await settle()
        await PROVIDERS.change(world.catalog_store, "1")
        may_end.set()
    reads = world.db.reads

    await MODEL.read(world.catalog)
    await DEFAULT.read(world.catalog)

    assert world.db.reads == reads + 2


@proves("config-cache", 18, 25)
async def test_when_a_provider_changes_the_models_are_read_anew(world: World) -> None:
    kinds = (PROVIDERS, MODEL, MODELS, DEFAULT)
    for each in kinds:
        await each.read(world.catalog)
    reads = world.db.reads

    world.bus.announce(CatalogChanged(kind=CatalogKind.PROVIDERS))
    for each in kinds:
        await each.read(world.catalog)

    assert world.db.reads == reads + len(kinds)


@proves("config-cache", 19)
async def test_who_gives_up_leaves_at_once_and_the_reading_goes_on(world: World, entity: Entity) -> None:
    may_end = world.db.hold()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(_read(entity, world))
        await settle()
        asking.cancel()
        await asyncio.wait([asking])
    assert asking.cancelled()

    may_end.set()
    await settle()

    assert await entity.read(world.catalog) == entity.at_first
    assert world.db.reads == 1


@proves("config-cache", 20)
async def test_who_gives_up_takes_nothing_from_others(world: World, entity: Entity) -> None:
    may_end = world.db.hold()
    async with asyncio.TaskGroup() as group:
        impatient = group.create_task(_read(entity, world))
        patient = group.create_task(_read(entity, world))
        await settle()
        impatient.cancel()
        await settle()
        may_end.set()

    assert (impatient.cancelled(), patient.result()) == (True, entity.at_first)
    assert world.db.reads == 1


@proves("config-cache", 21)
async def test_the_end_of_the_server_ends_readings_and_all_who_wait_for_them(
    world: World, entity: Entity
) -> None:
    world.db.hold()
    async with (
        asyncio.TaskGroup() as group,
        open_catalog(world.catalog_store, world.bus, world.clock) as catalog,
    ):
        asking = [group.create_task(_read(entity, replace(world, catalog=catalog))) for _ in range(2)]
        await settle()

    assert [task.cancelled() for task in asking] == [True, True]
    with pytest.raises(Unavailable, match="closed"):
        await entity.read(catalog)


async def test_a_reading_that_had_not_begun_when_the_server_ended_keeps_no_caller_waiting(
    world: World,
) -> None:
    async with (
        asyncio.TaskGroup() as group,
        open_catalog(world.catalog_store, world.bus, world.clock) as catalog,
    ):
        asking = group.create_task(catalog.deployment_prompt())
        await asyncio.sleep(0)

    assert asking.cancelled()


@proves("config-cache", 22)
async def test_an_error_is_told_and_not_remembered(world: World, entity: Entity) -> None:
    world.db.error = ConnectionError("gone")
    with pytest.raises(ConnectionError, match="gone"):
        await entity.read(world.catalog)

    world.db.error = None

    assert await entity.read(world.catalog) == entity.at_first
    assert world.db.reads == 2


@proves("config-cache", 23)
async def test_a_damaged_document_is_an_error_and_an_empty_one_is_not(world: World) -> None:
    async def write(text: str) -> None:
        await world.db.write(lambda tx: tx.run("save_setting", ADVISOR, text))

    await write("not JSON")
    for _ in range(2):
        with pytest.raises(msgspec.DecodeError):
            await world.catalog.advisor()
    assert world.db.reads == 2

    await write("{}")
    assert [await world.catalog.advisor() for _ in range(2)] == [Advisor(), Advisor()]
    assert world.db.reads == 3


@proves("config-cache", 26)
@pytest.mark.parametrize(
    ("change", "forgotten"),
    [
        (CatalogChanged(kind=CatalogKind.MODEL, entity="desk/one"), {MODEL, MODELS, DEFAULT}),
        (CatalogChanged(kind=CatalogKind.MODEL, entity="desk/other"), {MODELS, DEFAULT}),
        (CatalogChanged(kind=CatalogKind.USER_PROMPT, entity=OWNER), {PROMPT}),
        (CatalogChanged(kind=CatalogKind.USER_PROMPT, entity="somebody else"), set()),
        (CatalogChanged(kind=CatalogKind.SETTING, entity="prompt"), {DEPLOYMENT}),
        (CatalogChanged(kind=CatalogKind.SETTING, entity="base_prompt"), {BASE}),
        (CatalogChanged(kind=CatalogKind.SETTING, entity="advisor"), {ADVICE}),
    ],
)
async def test_only_what_changed_is_forgotten(
    world: World, change: CatalogChanged, forgotten: set[Entity]
) -> None:
    assert await _read_anew_after(world, change) == {each.name for each in forgotten}


@proves("config-cache", 27)
async def test_a_change_that_only_a_newer_server_understands_is_passed_over(world: World) -> None:
    assert await _read_anew_after(world, CatalogChanged(kind="weather", entity="rain")) == set()
    assert await PROMPT.read(world.catalog) == ""


async def test_when_hints_may_have_been_lost_everything_is_read_anew(world: World) -> None:
    everything = CatalogChanged(kind=CatalogKind.EVERYTHING)

    assert len(await _read_anew_after(world, everything)) == 8


@proves("config-cache", 28)
async def test_the_prompts_of_no_more_than_so_many_users_are_remembered(world: World) -> None:
    for number in range(PROMPTS_REMEMBERED_MAX + 1):
        await world.catalog.prompt_of(UserId(str(number)))
    reads = world.db.reads

    await world.catalog.prompt_of(UserId(str(PROMPTS_REMEMBERED_MAX)))
    assert world.db.reads == reads
    await world.catalog.prompt_of(UserId("0"))
    assert world.db.reads == reads + 1
    entries = {each.name: each.entries for each in world.catalog.statistics()}
    assert entries["user_prompt"] == PROMPTS_REMEMBERED_MAX == 65_536


@proves("config-cache", 29)
async def test_the_default_stands_in_for_a_model_that_was_deleted(world: World) -> None:
    await world.catalog_store.add_model(replace(ONE, id="two", model="two"))
    assert (await world.catalog.model("desk/two"))[0].id == "two"

    await world.catalog_store.delete_model("two")

    assert (await world.catalog.model("desk/two"))[0].id == "one"


@proves("config-cache", 29)
async def test_without_any_model_the_error_has_a_kind(world: World) -> None:
    nothing = declare(
        [ProviderDeclaration(name="scripted", type=ProviderType.SCRIPTED, enabled=False)],
        [ModelDeclaration(provider="scripted", model="scripted")],
    )
    catalog_store = CatalogStore(Store(world.db, world.bus), nothing, SECRETS)
    async with open_catalog(catalog_store, world.bus, world.clock) as catalog:
        for name in (None, "desk/gone"):
            with pytest.raises(ProviderError) as raised:
                await catalog.model(name)
            assert raised.value.kind == "config"


@proves("config-cache", 30)
async def test_a_disabled_model_cannot_be_used_from_the_next_step_on(world: World) -> None:
    await world.catalog.model("desk/one")
    await world.catalog_store.change_model(ONE.id, lambda each: replace(each, enabled=False))

    with pytest.raises(ProviderError, match="desk/one is switched off") as raised:
        await world.catalog.model("desk/one")
    assert raised.value.kind == "config"


async def test_a_disabled_provider_is_noticed_even_when_no_hint_arrives(world: World) -> None:
    await world.catalog_store.add_model(replace(ONE, id="far", provider_id=ACME.id))
    await world.catalog.model("acme/one")
    world.bus.announce = lambda news: None  # type: ignore[method-assign]  # every hint is lost
    await world.catalog_store.change_provider(ACME.id, lambda each: replace(each, enabled=False))

    with pytest.raises(ProviderError, match="acme is switched off") as raised:
        await world.catalog.model("acme/one")
    assert raised.value.kind == "provider_disabled"


async def test_the_models_of_a_deleted_provider_fail_instead_of_becoming_another_one(world: World) -> None:
    await world.catalog_store.add_model(replace(ONE, id="far", provider_id=ACME.id, model="far"))
    await world.catalog_store.delete_provider(ACME.id)

    with pytest.raises(ProviderError) as raised:
        await world.catalog.model("acme/far")
    assert raised.value.kind == "provider_disabled"
    assert "far" not in {each.id for each in await world.catalog.models()}


@proves("config-cache", 32)
async def test_an_error_that_no_caller_waits_for_does_no_harm(world: World, entity: Entity) -> None:
    world.db.error = ConnectionError("gone")
    may_end = world.db.hold()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(_read(entity, world))
        await settle()
        asking.cancel()
    with capture_logs() as logged:
        may_end.set()
        await settle()

    world.db.error = None
    assert [line["event"] for line in logged] == ["catalog.read_failed"]
    assert await entity.read(world.catalog) == entity.at_first
    assert world.db.reads == 2


async def test_it_is_counted_how_everything_was_served(world: World) -> None:
    await world.catalog.deployment_prompt()
    await world.catalog.deployment_prompt()
    await world.catalog_store.documents.save(documents.PROMPT, documents.PromptDocument(text="Be brief."))
    world.db.error = ConnectionError("gone")
    with suppress(ConnectionError):
        await world.catalog.deployment_prompt()

    counted = next(each for each in world.catalog.statistics() if each.name == "prompt")

    assert (counted.hits, counted.misses, counted.fill_errors, counted.invalidations) == (1, 2, 1, 1)


async def test_what_is_declared_needs_no_database(world: World) -> None:
    await world.catalog.provider(DECLARED.providers[0].id)

    assert world.db.reads == 0


async def _read(entity: Entity, world: World) -> str:
    return await entity.read(world.catalog)


async def _read_anew_after(world: World, change: CatalogChanged) -> set[str]:
    """Which entities had to ask the database again."""
    entities = (PROVIDERS, MODEL, MODELS, DEFAULT, PROMPT, DEPLOYMENT, BASE, ADVICE)
    for each in entities:
        await each.read(world.catalog)
    world.bus.announce(change)
    anew = set()
    for each in entities:
        reads = world.db.reads
        await each.read(world.catalog)
        if world.db.reads > reads:
            anew.add(each.name)
    return anew


async def test_records_are_wanted_where_they_are_allowed_and_chosen(world: World) -> None:
    stored = world.catalog_store.documents
    wanted = world.catalog.wants_debug_records

    assert not await wanted(OWNER)
    await stored.save_debug_records_of(OWNER, chosen=True)
    assert not await wanted(OWNER)
    await stored.save(documents.DEBUG_RECORDS, documents.DebugRecords(allowed=True))
    assert await wanted(OWNER)
    assert not await wanted(UserId("somebody else"))
    await stored.save_debug_records_of(OWNER, chosen=False)
    assert not await wanted(OWNER)
