"""What the model of a chat would be told now: who sees which of its parts."""

import pytest
from starlette.types import ASGIApp

from chatd.agent.prompts.as_sent import PromptReader
from chatd.agent.prompts.system_prompt import INSTRUCTIONS, SystemPrompt
from chatd.api.app import build
from chatd.kit.clock import SystemClock
from chatd.providers.scripted.model import ScriptedModel
from chatd.storage.transactions.transact import Store
from chatd.tools.rehearsal import rehearsal_tools
from tests.agent.prompts.test_system_prompt import says
from tests.api.client import CHATS, Client
from tests.support.catalog_stores import FakeProber, some_catalog_store
from tests.support.same_tools import toolbox_with
from tests.support.scripted_only import ScriptedOnly

PARTS = [
    says("administrator", "You work for Acme.", of_deployment=True),
    says("user", "I am Ann."),
    INSTRUCTIONS,
]


@pytest.fixture
def app(store: Store, prober: FakeProber) -> ASGIApp:
    clock = SystemClock()
    reader = PromptReader(
        db=store.db,
        models=ScriptedOnly(ScriptedModel(clock)),
        prompt=SystemPrompt(PARTS),
        toolbox_of=toolbox_with(rehearsal_tools(None, clock)),
    )
    return build(store, catalog_store=some_catalog_store(store), prober=prober, prompts=reader)


async def test_the_owner_sees_all_but_the_words_of_the_deployment(client: Client, admin: Client) -> None:
    chat = await client.start_chat(model="scripted", instructions="Be brief.")

    seen = (await client.get(f"{CHATS}/{chat['id']}/prompt")).json
    whole = (await admin.get(f"{CHATS}/{chat['id']}/prompt")).json

    assert [(part["name"], part["text"]) for part in whole["parts"]] == [
        ("administrator", "You work for Acme."),
        ("user", "I am Ann."),
        ("instructions", "Be brief."),
    ]
    hidden, *rest = seen["parts"]
    assert rest == whole["parts"][1:]
    assert (hidden["withheld"], "Acme" in hidden["text"]) == (True, False)
    # How long it is may be known: it counts for the context that is left.
    assert hidden["tokens"] == whole["parts"][0]["tokens"] > 0


async def test_it_tells_the_model_the_tools_and_how_many_tokens_they_take(client: Client) -> None:
    chat = await client.start_chat("hello " * 100, model="scripted")

    seen = (await client.get(f"{CHATS}/{chat['id']}/prompt")).json

    echo = seen["tools"][0]
    assert (seen["model"], echo["name"], echo["description"]) == (
        "scripted/scripted", "echo", "Give back the text.",
    )  # fmt: skip
    assert echo["input_schema"]["properties"]["text"]
    assert seen["tokens"] == sum(each["tokens"] for each in (*seen["parts"], *seen["tools"]))
    assert seen["history_tokens"] > 100


async def test_a_chat_of_another_user_has_no_prompt(client: Client, stranger: Client) -> None:
    chat = await client.start_chat(model="scripted")

    assert (await stranger.get(f"{CHATS}/{chat['id']}/prompt")).status == 404


async def test_a_model_that_cannot_be_used_is_told(client: Client) -> None:
    chat = await client.start_chat(model="some/model")

    answer = await client.get(f"{CHATS}/{chat['id']}/prompt")

    assert (answer.status, answer.error["code"]) == (409, "model_unusable")
    assert "some/model" in answer.error["message"]
