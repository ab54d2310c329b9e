"""Rows that this program cannot read, because a newer one has written them or something has damaged them."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from chatd.catalog.catalog import Catalog, open_catalog
from chatd.catalog.documents import DEFAULT_MODEL
from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.models.declared import declare
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderType
from chatd.catalog.models.store import CatalogStore
from chatd.errors import BadInput, NotAllowed, ProviderError
from chatd.hints.memory import MemoryBus
from chatd.storage.transactions.transact import Store
from tests.clock import MovedClock
from tests.conftest import OWNER

ACME = Provider(id="acme", type=ProviderType.OLLAMA, name="acme")
BETA = replace(ACME, id="beta", name="beta")
ONE = ModelConfig(id="one", provider_id="acme", model="one", context_limit=1000)
TWO = replace(ONE, id="two", provider_id="beta", model="two")

NEWER_TYPE = "UPDATE providers SET type = 'telepathy' WHERE id = 'acme';"
NEWER_SETTINGS = """UPDATE providers SET settings = '{"mood": "good"}' WHERE id = 'acme';"""
BROKEN_SETTINGS = "UPDATE providers SET settings = '{' WHERE id = 'acme';"
NEWER_OPTIONS = """UPDATE models SET options = '{"mood": "good"}' WHERE id = 'one';"""
BROKEN_PRICES = "UPDATE models SET prices = '3' WHERE id = 'one';"
OF_PROVIDER = (NEWER_TYPE, NEWER_SETTINGS, BROKEN_SETTINGS)
OF_MODEL = (NEWER_OPTIONS, BROKEN_PRICES)


@pytest.fixture
async def catalog_store(store: Store) -> CatalogStore:
    catalog_store = CatalogStore(store, declare(), Secrets(bytes(32)))
    for provider, model in ((ACME, ONE), (BETA, TWO)):
        await catalog_store.add_provider(provider, None)
        await catalog_store.add_model(model)
    return catalog_store


@pytest.fixture
async def catalog(catalog_store: CatalogStore, bus: MemoryBus) -> AsyncIterator[Catalog]:
    async with open_catalog(catalog_store, bus, MovedClock()) as catalog:
        yield catalog


async def damage(store: Store, script: str) -> None:
    await store.db.write(lambda tx: tx.script(script))


@pytest.mark.parametrize("script", [*OF_PROVIDER, *OF_MODEL])
async def test_everything_else_is_as_good_as_before(
    catalog_store: CatalogStore, store: Store, catalog: Catalog, script: str
) -> None:
    await damage(store, script)

    assert (await catalog.model("beta/two"))[0].id == "two"
    assert await catalog_store.admit("beta/two", OWNER) == "beta/two"
    # It was the default by being the first; now the next one is.
    inventory = await catalog_store.inventory()
    assert inventory.default is not None
    assert inventory.name_of(inventory.default) == "beta/two"
    await catalog_store.add_model(replace(TWO, id="three", model="three"))
    await catalog_store.delete_provider("beta")


@pytest.mark.parametrize("script", [*OF_PROVIDER, *OF_MODEL])
async def test_a_caller_who_asks_for_it_is_told_and_gets_nothing_else_instead(
    catalog_store: CatalogStore, store: Store, catalog: Catalog, script: str
) -> None:
    await damage(store, script)

    with pytest.raises(ProviderError, match="cannot read the model acme/one") as failed:
        await catalog.model("acme/one")
    assert failed.value.kind == "config"
    with pytest.raises(BadInput, match="cannot read acme/one") as refused:
        await catalog_store.admit("acme/one", OWNER)
    assert (refused.value.code, refused.value.hint) == (
        "model_unreadable",
        "There are scripted/scripted, beta/two.",
    )


async def test_a_step_that_has_just_looked_the_model_up_is_told_of_its_provider(
    catalog_store: CatalogStore, store: Store, catalog: Catalog
) -> None:
    await catalog.model("acme/one")

    await damage(store, NEWER_TYPE)

    with pytest.raises(ProviderError, match="cannot read the provider acme"):
        await catalog.model("acme/one")


@pytest.mark.parametrize("script", [*OF_PROVIDER, *OF_MODEL])
async def test_it_is_logged_once_with_its_reason(
    catalog_store: CatalogStore, store: Store, script: str
) -> None:
    await damage(store, script)

    with capture_logs() as logs:
        for _ in range(3):
            await catalog_store.inventory()

    (line,) = [each for each in logs if each["event"] == "catalog.row_unreadable"]
    assert line["id"] == ("acme" if script in OF_PROVIDER else "one")
    assert "newer version" in line["reason"]


async def test_an_unreadable_provider_cannot_be_changed_and_can_be_deleted(
    catalog_store: CatalogStore, store: Store
) -> None:
    await damage(store, NEWER_TYPE)

    for deed in (
        catalog_store.change_provider("acme", lambda each: replace(each, enabled=False)),
        # Its name is taken.
        catalog_store.add_provider(replace(ACME, id="other"), None),
        catalog_store.set_own_key("acme", OWNER, "the-owner's-own"),
    ):
        with pytest.raises((NotAllowed, BadInput)):
            await deed
    await catalog_store.delete_provider("acme")

    assert (await catalog_store.inventory()).unreadable_providers == ()
    await catalog_store.add_provider(replace(ACME, id="other"), None)


@pytest.mark.parametrize("script", [NEWER_OPTIONS, NEWER_TYPE])
async def test_an_unreadable_model_cannot_be_changed_and_can_be_deleted(
    catalog_store: CatalogStore, store: Store, script: str
) -> None:
    await damage(store, script)

    with pytest.raises(NotAllowed, match="cannot read one") as refused:
        await catalog_store.change_model("one", lambda each: replace(each, enabled=False))
    assert "Update the server" in (refused.value.hint or "")
    await catalog_store.delete_model("one")

    assert (await catalog_store.inventory()).unreadable_models == ()


async def test_a_model_of_the_same_name_is_not_added_beside_it(
    catalog_store: CatalogStore, store: Store
) -> None:
    await damage(store, NEWER_OPTIONS)

    with pytest.raises(NotAllowed, match="acme/one is there already"):
        await catalog_store.add_model(replace(ONE, id="again"))


async def test_one_that_was_deleted_before_does_no_harm_either(
    catalog_store: CatalogStore, store: Store, catalog: Catalog
) -> None:
    await catalog_store.delete_provider("acme")
    await damage(store, NEWER_TYPE + NEWER_OPTIONS)

    assert (await catalog_store.inventory()).unreadable_providers == ()
    with pytest.raises(ProviderError):
        await catalog.model("acme/one")


async def test_a_choice_that_cannot_be_read_is_no_choice(catalog_store: CatalogStore, store: Store) -> None:
    await catalog_store.change_model("two", lambda each: replace(each, is_default=True))
    await damage(store, f"UPDATE settings SET document = '[]' WHERE name = '{DEFAULT_MODEL}';")  # noqa: S608

    with capture_logs() as logs:
        first, second = [await catalog_store.inventory() for _ in range(2)]

    assert first.default is not None
    assert (first.default.id, first.default) == ("one", second.default)
    assert [each["name"] for each in logs] == [DEFAULT_MODEL]
