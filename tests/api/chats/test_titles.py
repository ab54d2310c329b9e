"""A title on demand: its owner asks for it, waits for it, and is told what stands in the way."""

import pytest
from starlette.types import ASGIApp

from chatd.agent.texts.services import TextServices
from chatd.agent.texts.titles import Titles
from chatd.api.app import build
from chatd.catalog.documents import TEXTS, Texts
from chatd.catalog.models.store import CatalogStore
from chatd.domain.ids import ChatId, UserId
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.errors import ProviderError
from chatd.live.episodes.reply_bytes import ReplyBytes
from chatd.providers.model import Model
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.reads.read import read_everything
from chatd.storage.transactions.transact import Store, create_chat, transact
from tests.api.client import Client
from tests.clock import HurriedClock
from tests.support.catalog_stores import FakeProber, some_catalog_store
from tests.support.scripted_only import ScriptedOnly
from tests.words import create, says, step, user

CHATS = "/api/v1/chats"
SETTINGS = "/api/v1/settings"
SCRIPT = "for title say Moons of Jupiter\nsay Io."


class Known(ScriptedOnly):
    async def find_exactly(self, name: str, owner_id: UserId) -> Model:
        raise ProviderError("config", f"There is no model {name} any more.")


@pytest.fixture
def catalog_store(store: Store) -> CatalogStore:
    return some_catalog_store(store)


@pytest.fixture
def titles(store: Store, catalog_store: CatalogStore) -> Titles:
    async def wanted() -> Texts:
        return await catalog_store.documents.read(TEXTS, Texts)

    clock = HurriedClock()
    return Titles(
        TextServices(
            store=store,
            models=Known(ScriptedModel(clock)),
            wanted=wanted,
            clock=clock,
            reply_bytes=ReplyBytes(),
        )
    )


@pytest.fixture
def app(store: Store, catalog_store: CatalogStore, prober: FakeProber, titles: Titles) -> ASGIApp:
    return build(store, catalog_store=catalog_store, prober=prober, titles=titles)


async def a_chat(store: Store, words: str = SCRIPT, chat_id: str = "chat") -> str:
    chat = ChatId(chat_id)
    await create_chat(store, create(user(words), chat_id=chat))
    await transact(store, chat, step(says("Io.")), FinishTurn())
    return f"{CHATS}/{chat_id}"


async def charges(store: Store) -> list[tuple[str, str]]:
    stored = await read_everything(store.db, ChatId("chat"))
    assert stored is not None
    return [(each.operation, str(each.fate)) for each in stored.charges]


async def test_a_title_on_demand_replaces_the_one_that_the_chat_has(client: Client, store: Store) -> None:
    path = await a_chat(store)
    before = (await client.get(path)).json
    await client.patch(path, {"title": "Mine"})

    answer = await client.post(f"{path}/title/regenerate", None)

    assert (answer.status, answer.json["title"], answer.json["title_by"]) == (
        200,
        "Moons of Jupiter",
        "model",
    )
    assert answer.json["updated_at"] == before["updated_at"]
    assert await charges(store) == [("title", "used")]


async def test_a_proposal_is_not_kept(client: Client, store: Store) -> None:
    path = await a_chat(store)
    await client.patch(path, {"title": "Mine"})

    answer = await client.post(f"{path}/title/propose", None)

    assert (answer.status, answer.json) == (200, {"title": "Moons of Jupiter"})
    assert (await client.get(path)).json["title"] == "Mine"
    assert await charges(store) == [("title", "used")]


async def test_only_the_owner_may_ask(client: Client, admin: Client, stranger: Client, store: Store) -> None:
    path = await a_chat(store)

    for deed in ("regenerate", "propose"):
        assert (await admin.post(f"{path}/title/{deed}", None)).status == 403
        assert (await stranger.post(f"{path}/title/{deed}", None)).status == 404
    assert await charges(store) == []


@pytest.mark.parametrize(
    ("line", "status", "code"),
    [
        ("fail overloaded", 502, "model_failed"),
        ("fail auth", 502, "model_failed"),
        ("fail config", 400, "no_model"),
        ("fail usage_limit", 409, "usage_limit"),
        ("wait 100", 502, "model_failed"),
        ("end done", 502, "model_failed"),
        ('say """', 502, "model_failed"),
    ],
)
async def test_what_goes_wrong_with_the_model_is_told(
    client: Client, store: Store, line: str, status: int, code: str
) -> None:
    path = await a_chat(store, f"for title {line}\nsay Io.")
    before = (await client.get(path)).json

    answer = await client.post(f"{path}/title/regenerate", None)

    assert (answer.status, answer.json["error"]["code"]) == (status, code)
    assert answer.json["error"]["message"]
    after = (await client.get(path)).json
    assert (after["title"], after["status"]) == (before["title"], "waiting")


async def test_the_scripted_model_without_a_script_for_it_gives_the_first_words(
    client: Client, store: Store
) -> None:
    path = await a_chat(store, "Name the four moons of Jupiter that Galileo saw, please.")

    answer = await client.post(f"{path}/title/regenerate", None)

    assert answer.json["title"] == "Name the four moons of Jupiter that Galileo"
    assert await charges(store) == []


async def test_where_titles_are_switched_off_there_is_none_on_demand_either(
    client: Client, admin: Client, store: Store
) -> None:
    path = await a_chat(store)
    await admin.patch(SETTINGS, {"titles": False})

    answer = await client.post(f"{path}/title/regenerate", None)

    assert (answer.status, answer.json["error"]["code"]) == (409, "titles_switched_off")


async def test_a_chosen_model_that_cannot_be_used_is_told_and_no_other_steps_in(
    client: Client, store: Store, catalog_store: CatalogStore
) -> None:
    path = await a_chat(store)
    await catalog_store.documents.save(TEXTS, Texts(model="gone/model"))

    answer = await client.post(f"{path}/title/regenerate", None)

    assert (answer.status, answer.json["error"]["code"]) == (400, "no_model")
    assert "gone/model" in answer.json["error"]["message"]


async def test_an_archived_chat_is_not_named(client: Client, store: Store) -> None:
    path = await a_chat(store)
    await client.patch(path, {"archived": True})

    assert (await client.post(f"{path}/title/regenerate", None)).status == 400


async def test_while_a_title_is_being_written_another_one_for_the_same_chat_is_refused(
    client: Client, store: Store, titles: Titles
) -> None:
    path = await a_chat(store)
    titles._asking.add(ChatId("chat"))

    answer = await client.post(f"{path}/title/regenerate", None)
    assert (answer.status, answer.json["error"]["code"]) == (429, "title_under_way")

    titles._asking.clear()
    assert (await client.post(f"{path}/title/regenerate", None)).status == 200
    assert not titles._asking


async def test_administrators_say_what_is_written_and_by_which_model(admin: Client) -> None:
    default = (await admin.get(SETTINGS)).json
    assert {name: default[name] for name in ("texts_model", "titles", "turn_labels", "chat_summaries")} == {
        "texts_model": None,
        "titles": True,
        "turn_labels": False,
        "chat_summaries": True,
    }

    await admin.patch(SETTINGS, {"turn_labels": True, "texts_model": "scripted/scripted"})
    changed = (await admin.patch(SETTINGS, {"chat_summaries": False})).json

    assert (changed["texts_model"], changed["titles"]) == ("scripted/scripted", True)
    assert (changed["turn_labels"], changed["chat_summaries"]) == (True, False)
    assert (await admin.patch(SETTINGS, {"texts_model": None})).json["texts_model"] is None


async def test_a_model_that_cannot_be_used_cannot_be_chosen(admin: Client, client: Client) -> None:
    answer = await admin.patch(SETTINGS, {"texts_model": "gone/model", "titles": False})

    assert (answer.status, answer.json["error"]["field"]) == (400, "texts_model")
    assert (await admin.get(SETTINGS)).json["titles"] is True
    assert (await client.patch(SETTINGS, {"titles": False})).status == 403
