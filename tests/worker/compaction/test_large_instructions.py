"""Instructions that are larger than the context: they are shortened, or a person is told what to do."""

from typing import cast

import pytest
from msgspec.structs import replace

from chatd.agent.services import AgentServices
from chatd.domain.chat import Chat, Status
from chatd.domain.setup import Setup, SetupChange
from chatd.providers.model import Model
from chatd.storage.transactions.transact import create_chat
from tests.support.narrow import LIMIT_TOKENS, NarrowModel, NarrowWorld, tell_of
from tests.words import create, user
from tests.worker.worlds.world import CHAT, World, tell

LONG = "FACT: the sea is deep.\n" + "lorem ipsum " * 4 * LIMIT_TOKENS + "\nFACT: the sky is high."
BEGINNING = "FACT: the harbour is Oslo."


async def rest(world: World) -> Chat:
    return await world.until(lambda chat: chat.status in (Status.WAITING, Status.ERROR))


@pytest.mark.parametrize("configured", [LIMIT_TOKENS, 50 * LIMIT_TOKENS, 0])
def test_instructions_of_many_windows_are_shortened_and_the_chat_goes_on(configured: int) -> None:
    async def story(world: NarrowWorld) -> None:
        world.model = NarrowModel(configured=configured)
        first = create(user(BEGINNING))
        await create_chat(world.store, replace(first, setup=SetupChange(instructions=LONG)))
        await rest(world)
        await world.send("FACT: the boat is blue.")
        chat = await rest(world)

        assert chat.status is Status.WAITING, chat.last_error
        known = (await world.transcript())[-1]
        for fact in ("the sea is deep", "the sky is high", "the harbour is Oslo", "the boat is blue"):
            assert f"FACT: {fact}." in known
        assert "bytes of these instructions are left out" in world.model.shown[-1]
        assert world.model.refused <= 1
        assert world.model.summaries == 0

    tell_of(story)


class Insisting(NarrowWorld):
    """Its prompt is not for us to shorten."""

    prompt = LONG

    def services(self) -> AgentServices:
        return replace(super().services(), prompts=self.said)

    async def said(self, chat: Chat, model: Model, setup: Setup) -> tuple[str, ...]:
        return (self.prompt,)


@pytest.mark.parametrize("configured", [LIMIT_TOKENS, 50 * LIMIT_TOKENS])
def test_what_cannot_be_shortened_ends_the_turn_with_what_to_do_about_it(configured: int) -> None:
    async def story(world: World) -> None:
        world = cast("Insisting", world)
        world.model = NarrowModel(configured=configured)
        await world.start(BEGINNING)
        chat = await rest(world)

        assert chat.status is Status.ERROR
        assert chat.last_error is not None
        assert chat.last_error.message.startswith("The instructions and tools of this chat alone have about")
        assert f"its model takes {LIMIT_TOKENS:,}." in chat.last_error.message
        assert f"`chatd prompt {CHAT}`" in chat.last_error.message
        assert world.model.refused <= 2

        world.prompt = "Be brief."
        await world.send("And now?")
        assert (await rest(world)).status is Status.WAITING
        assert (await world.transcript())[-1] == f"assistant: KNOWN {BEGINNING}"

    tell(story, make=Insisting)
