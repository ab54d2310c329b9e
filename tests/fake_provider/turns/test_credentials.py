"""Credentials of the machine, and a provider that somebody else put into the database."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from chatd.catalog.models import columns
from chatd.catalog.models.rows import ModelConfig, Provider, ProviderSettings, ProviderType
from chatd.domain.chat import Status
from chatd.domain.message import Draft, Role
from chatd.domain.part import Text
from chatd.hints.hint import CatalogChanged, CatalogKind
from chatd.storage.database import Connection
from chatd.storage.transactions.transact import create_chat
from tests.fake_provider.script import answer, say
from tests.fake_provider.turns.world import working
from tests.words import create

# As an older version of the server saved it.
FOREIGN = Provider(
    id="foreign",
    type=ProviderType.BEDROCK,
    name="foreign",
    settings=ProviderSettings(ambient_credentials=True, region="us-east-1"),
)
MODEL = ModelConfig(id="m", provider_id="foreign", model="amazon.nova-pro-v1:0", context_limit=100_000)


async def test_a_stored_provider_of_before_gets_no_credentials_of_the_machine(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-the-machine")
    async with working(folder) as world:

        async def body(tx: Connection) -> None:
            provider = replace(FOREIGN, base_url=world.fake.address)
            await tx.run("insert_provider", *columns.columns_of_provider(provider, None))
            await tx.run("insert_model", *columns.columns_of_model(MODEL))

        await world.db.write(body)
        world.store.hints.announce(CatalogChanged(kind=CatalogKind.EVERYTHING, entity=None))
        world.fake.will_say(answer(say("Thank you for the credentials.")))
        message = Draft(role=Role.USER, content=(Text(text="Hello?"),), model="foreign/amazon.nova-pro-v1:0")
        await create_chat(world.store, create(message))
        chat = await world.until(lambda chat: chat.status is not Status.RUNNING)

        assert world.asked == []
    assert chat.last_error is not None
    assert chat.last_error.kind == "config"
