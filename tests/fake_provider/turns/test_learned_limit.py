"""A provider refuses a prompt and tells its limit: other chats are summed up before they are refused."""

from pathlib import Path

from msgspec.structs import replace

from chatd.domain.ids import ChatId
from tests.conftest import OWNER
from tests.fake_provider.places import model_at
from tests.fake_provider.script import Counts, answer, say
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.turns.world import ProviderWorld, working

OTHER = ChatId("other")
FULL = Counts(fresh=9_000)
TOO_LONG = Complaint(
    fault=Fault.BAD_REQUEST,
    words="This model's maximum context length is 10000 tokens. However, you requested 12000 tokens.",
    code="context_length_exceeded",
)


async def limit(world: ProviderWorld) -> int:
    return (await world.registry.find(model_at("chat"), OWNER)).context_limit


async def test_the_limit_of_a_refusal_is_heeded_in_the_next_turn_of_another_chat(folder: Path) -> None:
    async with working(folder) as world:
        assert await limit(world) == 1_000_000
        world.fake.will_say(answer(say("One.")), TOO_LONG, answer(say("Summed up.")), answer(say("Two.")))
        await world.ask("chat", "One? " + "word " * 9_000)
        await world.ask("chat", "Two?")
        assert await limit(world) == 10_000

        world.fake.will_say(
            replace(answer(say("Full.")), counts=FULL), answer(say("Summed up.")), answer(say("Room again."))
        )
        await world.ask("chat", "Fill it.", chat_id=OTHER)
        await world.ask("chat", "And now?", chat_id=OTHER)

        stored = await world.stored(OTHER)
        assert stored.chat.projection.boundary > 0
        assert (await world.transcript(OTHER))[-1] == "assistant: Room again."
