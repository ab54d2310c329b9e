"""Servers of one's own, as an administrator adds them while the server runs."""

from pathlib import Path

import pytest

from chatd.catalog.models.rows import ModelConfig, Provider, ProviderSettings, ProviderType
from chatd.domain.chat import Chat, Status
from chatd.domain.message import Draft, Role
from chatd.domain.part import Text
from chatd.storage.transactions.transact import create_chat
from tests.fake_provider.script import answer, say
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.turns.world import ProviderWorld, working
from tests.words import create, words_of

SAYS = answer(say("At your service."))


async def added(
    world: ProviderWorld,
    type_: ProviderType,
    base_url: str,
    model: str = "some-model",
    settings: ProviderSettings | None = None,
) -> Provider:
    provider = Provider(
        id="own", type=type_, name="own", base_url=base_url, settings=settings or ProviderSettings()
    )
    added = await world.catalog_store.add_provider(provider, None)
    await world.catalog_store.add_model(
        ModelConfig(id="own-model", provider_id="own", model=model, context_limit=100_000)
    )
    return added


async def answered(world: ProviderWorld, model: str = "some-model") -> Chat:
    message = Draft(role=Role.USER, content=(Text(text="Hello?"),), model=f"own/{model}")
    await create_chat(world.store, create(message))
    return await world.until(lambda chat: chat.status is not Status.RUNNING)


@pytest.mark.parametrize(
    ("type_", "base", "model"),
    [
        (ProviderType.ANTHROPIC, "", "claude-sonnet-4-6"),
        (ProviderType.GOOGLE, "", "gemini-2.5-pro"),
        (ProviderType.OPENAI, "/v1", "gpt-5.2"),
        (ProviderType.OPENAI_COMPATIBLE, "/v1", "qwen3"),
    ],
)
async def test_a_server_on_this_machine_is_called_without_a_key(
    folder: Path, type_: ProviderType, base: str, model: str
) -> None:
    async with working(folder, FakeProvider(keyless=True)) as world:
        await added(world, type_, world.fake.address + base, model)
        world.fake.will_say(SAYS)

        chat = await answered(world, model)
        said = [words_of(message) for message in await world.messages()]
        (asked,) = world.asked

    assert (chat.last_error, said[-1]) == (None, "assistant: At your service.")
    assert not {"authorization", "x-api-key", "api-key", "x-goog-api-key"} & set(asked.headers)


async def test_an_address_without_a_scheme_is_completed_and_called(folder: Path) -> None:
    async with working(folder) as world:
        provider = await added(
            world, ProviderType.OPENAI_COMPATIBLE, f"{world.fake.address.removeprefix('http://')}/v1"
        )
        world.fake.will_say(SAYS)

        chat = await answered(world)

        assert provider.base_url == f"{world.fake.address}/v1"
        assert (chat.last_error, len(world.asked)) == (None, 1)


async def test_who_is_refused_without_a_key_is_told_that_there_is_none(folder: Path) -> None:
    async with working(folder) as world:
        await added(world, ProviderType.OPENAI_COMPATIBLE, f"{world.fake.address}/v1")
        world.fake.will_say(Complaint(fault=Fault.BAD_KEY, words="Missing bearer token."))

        error = (await answered(world)).last_error

    assert error is not None
    assert (error.kind, error.status_code) == ("missing_key", 401)
    assert error.message.startswith("There is no key for the provider own. ")
    assert "`chatd model key`" in error.message
    assert "rejected" not in error.message
    assert error.detail == "Missing bearer token."


async def test_a_deployment_of_azure_is_called_with_the_version_of_its_api(folder: Path) -> None:
    async with working(folder) as world:
        settings = ProviderSettings(api_version="2025-04-01-preview")
        base = f"{world.fake.address}/openai/deployments/large"
        await added(world, ProviderType.AZURE, base, "large", settings)
        world.fake.will_say(SAYS)

        chat = await answered(world, "large")
        (asked,) = world.asked

    assert chat.last_error is None
    assert asked.path == "/openai/deployments/large/chat/completions?api-version=2025-04-01-preview"
