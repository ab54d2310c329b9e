"""What a chat tells of a provider that does not answer: in its name, with its reason, and once."""

from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from chatd.domain.chat import Status
from tests.fake_provider.places import PLACES, model_at
from tests.fake_provider.script import Refuse, answer, say, think
from tests.fake_provider.troubles import Complaint, Fault
from tests.fake_provider.turns.world import working
from tests.fake_provider.wires.anthropic import Invoke, Messages
from tests.fake_provider.wires.chat import OpenRouter
from tests.traceability import proves
from tests.words import words_of

REFUSES = Refuse("Not this.")


@proves("loop", 13)
@pytest.mark.parametrize("thoughts", [(), (think("Hm.", seal="first"),)])
async def test_a_refusal_without_words_ends_the_turn_with_its_category_and_its_reason(
    folder: Path, thoughts: tuple[object, ...]
) -> None:
    async with working(folder) as world:
        world.fake.will_say(answer(*thoughts, REFUSES))  # type: ignore[arg-type]  # steps of an answer
        chat = await world.ask(Messages.name, "What may nobody say?")

        assert chat.status is Status.ERROR
        failure = chat.last_error
        assert failure is not None
        assert (failure.kind, failure.retryable, failure.detail) == ("content_filter", False, "Not this.")
        assert "(cyber)" in failure.message
        assert len(world.asked) == 1
        assert [words_of(message) for message in await world.messages()] == ["user: What may nobody say?"]


@proves("loop", 13)
async def test_a_refusal_after_words_leaves_an_ordinary_reply(folder: Path) -> None:
    async with working(folder) as world:
        world.fake.will_say(answer(say("As far as I may say:"), REFUSES))
        chat = await world.ask(Messages.name, "What may nobody say?")

        assert (chat.status, chat.last_error) == (Status.WAITING, None)
        assert [words_of(message) for message in await world.messages()][1:] == [
            "assistant: As far as I may say:"
        ]


@pytest.mark.parametrize("place", [Invoke.name, OpenRouter.name])
async def test_errors_and_numbers_name_the_provider_as_it_is_configured(folder: Path, place: str) -> None:
    """The wire is that of another vendor."""

    def steps() -> float:
        labels = {"provider": place, "model": PLACES[place].model}
        return REGISTRY.get_sample_value("chatd_steps_total", labels) or 0

    before = steps()
    async with working(folder) as world:
        world.fake.will_say(answer(say("Hello.")), Complaint(fault=Fault.BAD_KEY))
        await world.ask(place, "Hello?")
        chat = await world.ask(place, "And now?")

        assert steps() == before + 1
        assert chat.last_error is not None
        assert chat.last_error.provider == place
        assert place in chat.last_error.message.lower()
        assert chat.last_model == model_at(place)
