"""Providers and models as administrators keep them, on both databases."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import pytest
from msgspec.structs import replace

from chatd.catalog.keys.secrets import Secrets
from chatd.catalog.models.declared import ModelDeclaration, ProviderDeclaration, declare
from chatd.catalog.models.options import AnthropicOptions, CallOptions, OpenAIOptions
from chatd.catalog.models.rows import ModelConfig, Prices, Provider, ProviderSettings, ProviderType
from chatd.catalog.models.store import MODELS_MAX, PROVIDERS_MAX, CatalogStore, NotForUsers, Unmet
from chatd.catalog.rules.addresses import base_url_of
from chatd.domain.ids import UserId
from chatd.domain.part import Json
from chatd.errors import (
    BadInput,
    LimitReached,
    Misconfigured,
    NotAllowed,
    NotFound,
    ProviderError,
    Refused,
)
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.hints.memory import MemoryBus
from chatd.storage.database import Body, Database, Pace
from chatd.storage.transactions.transact import Store
from tests.conftest import OWNER
from tests.traceability import proves

T = TypeVar("T")

KEY = "sk-0123456789abcdefWXYZ"
ACME = Provider(
    id="acme",
    type=ProviderType.ANTHROPIC,
    name="acme",
    display_name="Acme & Söhne",
    base_url="https://acme.example/v1",
    settings=ProviderSettings(headers={"x-team": "blue"}, quirks={"a": [1]}),
    user_keys_allowed=True,
)
ONE = ModelConfig(
    id="one",
    provider_id="acme",
    model="one",
    context_limit=1000,
    options=CallOptions(temperature=0.5, anthropic=AnthropicOptions(cache="1h")),
    prices=Prices(input=3_000_000, output=15_000_000),
)


@pytest.fixture
def catalog_store(store: Store) -> CatalogStore:
    return CatalogStore(store, declare(), Secrets(bytes(32)))


def model(id_: str, **fields: object) -> ModelConfig:
    return replace(ONE, id=id_, model=id_, **fields)


def nested(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return value


async def default_of(catalog_store: CatalogStore) -> str | None:
    inventory = await catalog_store.inventory()
    assert sum(each.is_default for each in inventory.models) == (inventory.default is not None)
    return inventory.name_of(inventory.default) if inventory.default is not None else None


async def test_what_is_stored_comes_back_as_it_was(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.add_model(ONE)

    inventory = await catalog_store.inventory()

    assert inventory.provider("acme") == ACME
    assert inventory.named("acme/one") == replace(ONE, is_default=True)
    assert await catalog_store.read_provider("acme") == ACME


async def test_a_change_is_announced_after_its_commit_and_a_refused_one_is_not(
    catalog_store: CatalogStore, store: Store, bus: MemoryBus
) -> None:
    heard: list[CatalogChanged] = []
    with bus.listening_to_news(CatalogChanged, heard.append):
        await catalog_store.add_provider(ACME, None)
        await catalog_store.add_model(ONE)
        with pytest.raises(NotAllowed):
            await catalog_store.add_model(replace(ONE, id="again"))
        await catalog_store.change_model("one", lambda each: replace(each, display_name="One"))
        await catalog_store.delete_model("one")
        await catalog_store.delete_provider("acme")

    assert [(each.kind, each.entity) for each in heard] == [
        (CatalogKind.PROVIDERS, "acme"),
        (CatalogKind.MODEL, "acme/one"),
        (CatalogKind.MODEL, "acme/one"),
        (CatalogKind.MODEL, "acme/one"),
        (CatalogKind.PROVIDERS, "acme"),
    ]


@proves("api", 73)
async def test_the_first_model_becomes_the_default_and_the_scripted_one_stands_in_before(
    catalog_store: CatalogStore,
) -> None:
    assert await default_of(catalog_store) == "scripted/scripted"
    await catalog_store.add_provider(ACME, None)
    await catalog_store.add_model(ONE)
    await catalog_store.add_model(model("two"))

    assert await default_of(catalog_store) == "acme/one"


async def test_a_new_default_takes_it_from_the_old_one(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, None)
    await catalog_store.add_model(ONE)
    await catalog_store.add_model(model("two", is_default=True))
    assert await default_of(catalog_store) == "acme/two"

    await catalog_store.change_model("one", lambda each: replace(each, is_default=True))

    assert await default_of(catalog_store) == "acme/one"


@proves("api", 73)
@pytest.mark.parametrize("way", ["disable", "delete", "disable provider"])
async def test_when_the_default_goes_another_one_is_elected(catalog_store: CatalogStore, way: str) -> None:
    await catalog_store.add_provider(replace(ACME, id="b", name="b"), None)
    await catalog_store.add_provider(ACME, None)
    await catalog_store.add_model(model("other", provider_id="b"))
    await catalog_store.add_model(replace(ONE, is_default=True))

    match way:
        case "disable":
            await catalog_store.change_model(
                "one", lambda each: replace(each, enabled=False, is_default=False)
            )
        case "delete":
            await catalog_store.delete_model("one")
        case _:
            await catalog_store.change_provider("acme", lambda each: replace(each, enabled=False))

    assert await default_of(catalog_store) == "b/other"


async def test_a_default_that_was_chosen_does_not_give_way_to_what_is_found_later(
    catalog_store: CatalogStore,
) -> None:
    await catalog_store.add_provider(ACME, None)
    await catalog_store.add_model(ONE)
    assert await default_of(catalog_store) == "acme/one"
    found = declare(environment={"ANTHROPIC_API_KEY": "k"})

    catalog_store.learn(found)
    assert await default_of(catalog_store) == "anthropic/claude-sonnet-4-6"

    catalog_store.learn(declare())
    await catalog_store.change_model("one", lambda each: replace(each, is_default=True), chosen=True)
    catalog_store.learn(found)
    assert await default_of(catalog_store) == "acme/one"


async def test_an_ollama_that_turns_up_does_not_take_the_chats_of_a_model_that_was_added(
    catalog_store: CatalogStore,
) -> None:
    await catalog_store.add_provider(ACME, None)
    await catalog_store.add_model(ONE)

    catalog_store.learn(declare(ollama=["llama"]))

    assert await default_of(catalog_store) == "acme/one"
    await catalog_store.delete_model("one")
    assert await default_of(catalog_store) == "ollama/llama"


async def test_there_cannot_be_no_default_model(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, None)
    await catalog_store.add_model(ONE)

    with pytest.raises(BadInput, match="until another one is"):
        await catalog_store.change_model("one", lambda each: replace(each, is_default=False))
    with pytest.raises(BadInput, match="switched off"):
        await catalog_store.add_model(model("two", enabled=False, is_default=True))
    assert "two" not in {each.id for each in (await catalog_store.inventory()).models}


async def test_of_two_who_make_a_default_at_once_one_wins(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, None)
    for name in ("one", "two", "three"):
        await catalog_store.add_model(model(name))

    async with asyncio.TaskGroup() as group:
        for name in ("two", "three") * 5:
            group.create_task(catalog_store.change_model(name, lambda each: replace(each, is_default=True)))

    assert await default_of(catalog_store) in {"acme/two", "acme/three"}


async def test_what_the_settings_file_calls_the_default_stays_it(store: Store) -> None:
    desk = ProviderDeclaration(name="desk", type=ProviderType.OLLAMA)
    declared = declare([desk], [ModelDeclaration(provider="desk", model="m", default=True)])
    catalog_store = CatalogStore(store, declared, Secrets(bytes(32)))
    await catalog_store.add_provider(ACME, None)
    await catalog_store.add_model(ONE)

    with pytest.raises(NotAllowed, match="desk/m is the default") as refused:
        await catalog_store.change_model("one", lambda each: replace(each, is_default=True))

    assert "default = true" in (refused.value.hint or "")
    assert await default_of(catalog_store) == "desk/m"
    # To say so once more is no contradiction.
    await catalog_store.change_model(declared.models[0].id, lambda each: each, chosen=True)


async def test_a_declared_model_can_be_made_the_default_and_nothing_else(store: Store) -> None:
    desk = ProviderDeclaration(name="desk", type=ProviderType.OLLAMA)
    declared = declare([desk], [ModelDeclaration(provider="desk", model=name) for name in ("m", "n")])
    catalog_store = CatalogStore(store, declared, Secrets(bytes(32)))
    second = declared.models[1].id
    assert await default_of(catalog_store) == "desk/m"

    await catalog_store.change_model(second, lambda each: replace(each, is_default=True))

    assert await default_of(catalog_store) == "desk/n"
    for deed in (
        catalog_store.change_model(second, lambda each: replace(each, context_limit=5)),
        catalog_store.delete_model(second),
        catalog_store.change_provider(declared.providers[0].id, lambda each: replace(each, enabled=False)),
        catalog_store.delete_provider(declared.providers[0].id),
    ):
        with pytest.raises(NotAllowed, match="declared outside of the database") as refused:
            await deed
        assert "chatd.toml" in (refused.value.hint or "")


async def test_names_are_taken_once(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, None)
    await catalog_store.add_model(ONE)

    with pytest.raises(NotAllowed, match="'acme' already"):
        await catalog_store.add_provider(replace(ACME, id="other"), None)
    with pytest.raises(NotAllowed, match="'scripted' already"):
        await catalog_store.add_provider(replace(ACME, id="other", name="scripted"), None)
    with pytest.raises(NotAllowed, match="acme/one is there already"):
        await catalog_store.add_model(replace(ONE, id="other"))


async def test_the_name_of_a_deleted_provider_is_free_again(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.add_model(ONE)
    await catalog_store.delete_provider("acme")
    await catalog_store.add_provider(replace(ACME, id="new"), None)
    await catalog_store.add_model(replace(ONE, id="newer", provider_id="new"))

    found = (await catalog_store.inventory()).named("acme/one")

    assert found is not None
    assert found.id == "newer"


async def test_a_model_needs_a_provider_that_is_switched_on(catalog_store: CatalogStore) -> None:
    with pytest.raises(Unmet, match="no such provider"):
        await catalog_store.add_model(ONE)
    await catalog_store.add_provider(replace(ACME, enabled=False), None)
    with pytest.raises(Unmet, match="switched off"):
        await catalog_store.add_model(ONE)


async def test_options_of_another_provider_are_refused(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, None)

    with pytest.raises(BadInput, match="not for a provider of the type anthropic") as refused:
        await catalog_store.add_model(replace(ONE, options=CallOptions(openai=OpenAIOptions())))

    assert refused.value.field == "options.openai"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": "Acme"}, "name"),
        ({"name": "a--b"}, "name"),
        ({"name": ""}, "name"),
        ({"base_url": "ftp://acme.example"}, "base_url"),
        ({"base_url": "https://key@acme.example"}, "base_url"),
        ({"base_url": "https://acme.example/?key=1"}, "base_url"),
        ({"base_url": "https://"}, "base_url"),
        ({"base_url": None, "type": ProviderType.OPENAI_COMPATIBLE}, "base_url"),
        ({"settings": ProviderSettings(headers={"Authorization": "Bearer x"})}, "settings.headers"),
        ({"settings": ProviderSettings(headers={"x-a": "b\r\nc: d"})}, "settings.headers"),
        ({"display_name": "a\nb"}, "display_name"),
        # The resolver would fail at them in words of its own.
        ({"base_url": "https://acme..example"}, "base_url"),
        ({"base_url": f"https://{'a' * 64}.example"}, "base_url"),
        ({"settings": ProviderSettings(proxy="http://proxy..example")}, "settings.proxy"),
        ({"settings": ProviderSettings(proxy="http://proxy.example/\r\nx: y")}, "settings.proxy"),
        # A key there would be part of the connection, or of the error that says so.
        ({"settings": ProviderSettings(key_header="Content-Length")}, "settings.key_header"),
        ({"settings": ProviderSettings(key_header="x-a\r\nx-b")}, "settings.key_header"),
        ({"settings": ProviderSettings(headers={"Host": "elsewhere"})}, "settings.headers"),
        ({"settings": ProviderSettings(region="\ud800")}, "settings.region"),
        ({"settings": ProviderSettings(api_version="1\r\n2")}, "settings.api_version"),
        ({"settings": ProviderSettings(quirks={"a": nested(65)})}, "settings.quirks"),
        ({"settings": ProviderSettings(ca_file="/etc/ssl/acme.pem")}, "settings.ca_file"),
    ],
)
async def test_a_provider_that_cannot_be_is_refused(
    catalog_store: CatalogStore, fields: dict[str, object], field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        await catalog_store.add_provider(replace(ACME, **fields), None)

    assert refused.value.field == field


async def test_there_is_a_limit_to_everything(
    catalog_store: CatalogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(PROVIDERS_MAX - 1):
        await catalog_store.add_provider(replace(ACME, id=str(number), name=f"a{number}"), None)

    with pytest.raises(LimitReached):
        await catalog_store.add_provider(ACME, None)
    assert MODELS_MAX == 1000


async def test_what_is_not_there_cannot_be_changed(catalog_store: CatalogStore) -> None:
    for deed in (
        catalog_store.change_provider("none", lambda each: each),
        catalog_store.delete_provider("none"),
        catalog_store.change_model("none", lambda each: each),
        catalog_store.delete_model("none"),
    ):
        with pytest.raises(NotFound):
            await deed


async def test_a_key_is_sealed_at_rest_and_comes_back_to_its_provider_alone(
    catalog_store: CatalogStore, store: Store
) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.add_provider(replace(ACME, id="b", name="b"), None)

    assert await catalog_store.keys.key_for(ACME, None) == KEY
    assert await catalog_store.keys.shown_key(ACME) == "…WXYZ"
    rows = await store.db.read(lambda tx: tx.all("sealed_keys"))
    assert len(rows) == 1
    assert KEY not in str([tuple(row) for row in rows])

    # Somebody with the database alone moves it to a row of theirs.
    sealed = rows[0][0]
    await store.db.write(lambda tx: tx.script(f"UPDATE providers SET api_key = '{sealed}' WHERE id = 'b';"))  # noqa: S608
    with pytest.raises(ProviderError, match="cannot be read"):
        await catalog_store.keys.key_for(replace(ACME, id="b", name="b"), None)


async def test_a_key_stays_until_it_is_replaced_or_removed(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.change_provider("acme", lambda each: replace(each, display_name="A"))
    assert await catalog_store.keys.key_for(ACME, None) == KEY
    await catalog_store.change_provider("acme", lambda each: each, key="another-key-of-theirs")
    assert await catalog_store.keys.key_for(ACME, None) == "another-key-of-theirs"

    await catalog_store.change_provider("acme", lambda each: each, key=None)

    with pytest.raises(ProviderError) as raised:
        await catalog_store.keys.key_for(replace(ACME, user_keys_allowed=False), None)
    assert raised.value.kind == "missing_key"


@pytest.mark.parametrize(
    ("fields", "used"),
    [
        ({"display_name": "A", "base_url": "https://acme.example/v2"}, "the-owner's-own"),
        ({"base_url": "https://elsewhere.example/v1"}, KEY),
        (
            {
                "base_url": "http://acme.example/v1",
                "settings": ProviderSettings(allow_plain_http=True),
            },
            KEY,
        ),
        ({"base_url": None}, KEY),
        ({"settings": ProviderSettings(proxy="http://proxy.example:3128")}, KEY),
    ],
)
async def test_a_users_own_key_is_not_sent_to_the_address_that_a_provider_is_changed_to(
    catalog_store: CatalogStore, fields: dict[str, object], used: str
) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.set_own_key("acme", OWNER, "the-owner's-own")

    changed = await catalog_store.change_provider("acme", lambda each: replace(each, **fields), key=KEY)

    assert await catalog_store.keys.key_for(changed, OWNER) == used


async def test_a_users_own_key_wins_where_it_is_allowed(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.set_own_key("acme", OWNER, "the-owner's-own")

    assert await catalog_store.keys.key_for(ACME, OWNER) == "the-owner's-own"
    assert await catalog_store.keys.key_for(ACME, UserId("somebody")) == KEY
    assert await catalog_store.keys.key_for(replace(ACME, user_keys_allowed=False), OWNER) == KEY

    await catalog_store.keys.delete_own_key(ACME, OWNER)
    assert await catalog_store.keys.key_for(ACME, OWNER) == KEY


async def test_deleting_a_provider_deletes_every_key_of_it(catalog_store: CatalogStore, store: Store) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.set_own_key("acme", OWNER, "the-owner's-own")

    await catalog_store.delete_provider("acme")

    assert list(await store.db.read(lambda tx: tx.all("sealed_keys"))) == []


async def test_another_secret_key_is_told_apart_and_what_it_sealed_can_be_given_up(
    catalog_store: CatalogStore, store: Store
) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.set_own_key("acme", OWNER, "the-owner's-own")
    later = CatalogStore(store, declare(), Secrets(bytes([1]) * 32))

    with pytest.raises(Misconfigured, match="CHATD_SECRET_KEY"):
        await later.keys.check_secrets()
    with pytest.raises(ProviderError) as raised:
        await later.keys.key_for(ACME, None)
    assert raised.value.kind == "config"
    # Whoever chats is told nothing of where the operator keeps keys.
    assert "CHATD_SECRET_KEY" not in f"{raised.value.message} {raised.value.detail}"
    assert await later.keys.shown_key(ACME) == "…"

    await catalog_store.keys.forget_unreadable_keys()
    await catalog_store.keys.check_secrets()
    await later.keys.forget_unreadable_keys()
    await later.keys.check_secrets()
    assert await later.keys.shown_key(ACME) is None


@proves("api", 5)
async def test_only_a_model_that_can_be_used_is_admitted(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(replace(ACME, user_keys_allowed=False), None)
    await catalog_store.add_model(model("off", enabled=False))
    await catalog_store.add_model(ONE)

    for name, code in (
        ("acme/two", "unknown_model"),
        ("acme/off", "model_disabled"),
        ("acme/one", "missing_key"),
    ):
        with pytest.raises(BadInput) as refused:
            await catalog_store.admit(name, OWNER)
        assert (refused.value.code, refused.value.field) == (code, "model")
        # Those without a key are no choice.
        assert refused.value.hint == "There is scripted/scripted."
    with pytest.raises(BadInput, match="has no key"):
        await catalog_store.admit(None, OWNER)

    await catalog_store.change_provider("acme", lambda each: each, key=KEY)
    with pytest.raises(BadInput) as refused:
        await catalog_store.admit("acme/off", OWNER)
    assert refused.value.hint == "There are scripted/scripted, acme/one."
    assert await catalog_store.admit("acme/one", OWNER) == "acme/one"
    assert await catalog_store.admit("one", OWNER) == "acme/one"
    assert await catalog_store.admit(None, OWNER) is None


@proves("api", 6)
async def test_who_has_no_model_to_choose_is_told_how_there_will_be_one(store: Store) -> None:
    off = ProviderDeclaration(name="scripted", type=ProviderType.SCRIPTED, enabled=False)
    catalog_store = CatalogStore(store, declare([off]), Secrets(bytes(32)))

    with pytest.raises(BadInput, match="There is no model to use") as refused:
        await catalog_store.admit(None, OWNER)

    assert "chatd model add" in (refused.value.hint or "")


async def test_a_key_that_cannot_be_read_is_told_apart_from_one_that_is_missing(
    catalog_store: CatalogStore, store: Store
) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.add_model(ONE)
    later = CatalogStore(store, declare(), Secrets(bytes([1]) * 32))

    with pytest.raises(BadInput, match="cannot be read") as refused:
        await later.admit("acme/one", OWNER)

    assert (refused.value.code, refused.value.hint) == ("unreadable_key", "There is scripted/scripted.")


async def test_a_name_that_several_models_have_is_told_apart_from_one_that_none_has(
    catalog_store: CatalogStore,
) -> None:
    for name in ("acme", "beta"):
        await catalog_store.add_provider(replace(ACME, id=name, name=name), KEY)
        await catalog_store.add_model(replace(ONE, id=name, provider_id=name))

    with pytest.raises(BadInput, match="Several models call themselves 'one': acme/one, beta/one"):
        await catalog_store.admit("one", OWNER)


async def test_a_choice_is_what_this_user_can_pay_for(catalog_store: CatalogStore) -> None:
    await catalog_store.add_provider(ACME, None)
    await catalog_store.add_model(ONE)
    await catalog_store.set_own_key("acme", OWNER, "the-owner's-own")

    async def choice_of(user_id: UserId) -> str | None:
        with pytest.raises(BadInput) as refused:
            await catalog_store.admit("nothing", user_id)
        return refused.value.hint

    assert await choice_of(OWNER) == "There are scripted/scripted, acme/one."
    assert await choice_of(UserId("somebody")) == "There is scripted/scripted."


@pytest.mark.parametrize("address", ["http://acme.example/v1", "http://8.8.8.8:8000/v1"])
async def test_an_address_that_would_not_be_called_is_refused_when_it_is_saved(
    catalog_store: CatalogStore, address: str
) -> None:
    plain = replace(ACME, id="plain", name="plain", base_url=address)
    with pytest.raises(ProviderError) as at_use:
        base_url_of(plain.type, plain.base_url, plain.settings)
    await catalog_store.add_provider(ACME, None)

    for deed in (
        catalog_store.add_provider(plain, None),
        catalog_store.change_provider("acme", lambda each: replace(each, base_url=address)),
    ):
        with pytest.raises(BadInput) as refused:
            await deed
        # The same words as when somebody tries to call it.
        assert (refused.value.field, refused.value.message, refused.value.hint) == (
            "base_url",
            at_use.value.message,
            at_use.value.detail,
        )
    assert [each.name for each in (await catalog_store.inventory()).providers] == ["scripted", "acme"]


@pytest.mark.parametrize(
    ("address", "settings"),
    [
        ("http://127.0.0.1:8000/v1", ProviderSettings()),
        ("http://192.168.0.7:11434/v1", ProviderSettings()),
        ("http://gateway:4000", ProviderSettings()),
        ("http://llm.internal/v1", ProviderSettings()),
        ("http://acme.example/v1", ProviderSettings(allow_plain_http=True)),
    ],
)
async def test_at_home_and_where_it_is_allowed_an_address_needs_no_tls(
    catalog_store: CatalogStore, address: str, settings: ProviderSettings
) -> None:
    provider = replace(ACME, base_url=address, settings=settings)

    assert await catalog_store.add_provider(provider, KEY) == provider


async def test_a_provider_that_was_saved_without_tls_can_be_switched_off_and_mended(
    catalog_store: CatalogStore, store: Store
) -> None:
    await catalog_store.add_provider(ACME, KEY)
    await catalog_store.add_model(ONE)
    await store.db.write(lambda tx: tx.script("UPDATE providers SET base_url = 'http://acme.example/v1';"))

    with pytest.raises(BadInput, match="has no TLS") as refused:
        await catalog_store.admit("acme/one", OWNER)
    assert (refused.value.code, refused.value.hint) == ("address_refused", "There is scripted/scripted.")
    off = await catalog_store.change_provider("acme", lambda each: replace(each, enabled=False))
    assert not off.enabled

    with pytest.raises(BadInput, match="has no TLS"):
        await catalog_store.change_provider(
            "acme", lambda each: replace(each, base_url="http://b.example"), key=KEY
        )
    mended = await catalog_store.change_provider(
        "acme", lambda each: replace(each, base_url="https://acme.example/v1"), key=KEY
    )
    assert mended.base_url == "https://acme.example/v1"


class Meddled:
    """A database in which something else happens just before the next change, once."""

    def __init__(self, inner: Database, meddle: Callable[[], Awaitable[object]]) -> None:
        self._inner = inner
        self.engine = inner.engine
        self._meddle: Callable[[], Awaitable[object]] | None = meddle

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        return await self._inner.read(body, pace=pace)

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        meddle, self._meddle = self._meddle, None
        if meddle is not None:
            await meddle()
        return await self._inner.write(body, pace=pace)


@pytest.mark.parametrize(
    ("meanwhile", "refusal"),
    [
        (lambda catalog_store: catalog_store.delete_provider("acme"), NotFound),
        (
            lambda catalog_store: catalog_store.change_provider(
                "acme", lambda each: replace(each, enabled=False)
            ),
            Unmet,
        ),
        (
            lambda catalog_store: catalog_store.change_provider(
                "acme", lambda each: replace(each, user_keys_allowed=False)
            ),
            NotForUsers,
        ),
    ],
    ids=["deleted", "switched off", "closed to users"],
)
async def test_a_key_comes_too_late_for_a_provider_that_was_changed_meanwhile(
    catalog_store: CatalogStore,
    store: Store,
    meanwhile: Callable[[CatalogStore], Awaitable[object]],
    refusal: type[Refused],
) -> None:
    await catalog_store.add_provider(ACME, None)
    meddled = Meddled(store.db, lambda: meanwhile(catalog_store))
    other = CatalogStore(Store(meddled, store.hints), declare(), Secrets(bytes(32)))
    assert (await other.inventory()).provider("acme") == ACME

    with pytest.raises(refusal):
        await other.set_own_key("acme", OWNER, "the-owner's-own")

    assert list(await store.db.read(lambda tx: tx.all("sealed_keys"))) == []


async def test_in_either_order_no_key_outlives_its_provider(
    catalog_store: CatalogStore, store: Store
) -> None:
    async def put(name: str) -> None:
        with suppress(NotFound):
            await catalog_store.set_own_key(name, OWNER, "the-owner's-own")

    names = [f"a{number}" for number in range(10)]
    for name in names:
        await catalog_store.add_provider(replace(ACME, id=name, name=name), None)

    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(put(name))
            group.create_task(catalog_store.delete_provider(name))
            group.create_task(put(name))

    assert list(await store.db.read(lambda tx: tx.all("sealed_keys"))) == []


async def test_a_prompt_is_kept_without_invisible_characters(catalog_store: CatalogStore) -> None:
    hidden = "Be\u202e kind.\r\n\n\n\n\n\nThanks\u200b. \U000e0041"

    assert await catalog_store.documents.save_prompt_of(OWNER, hidden) == "Be kind.\n\n\nThanks."
    assert await catalog_store.documents.prompt_of(OWNER) == "Be kind.\n\n\nThanks."
    with pytest.raises(BadInput, match="128 KiB"):
        await catalog_store.documents.save_prompt_of(OWNER, "a" * (128 * 1024 + 1))
