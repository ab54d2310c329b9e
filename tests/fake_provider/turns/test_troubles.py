"""What can go wrong at a provider, over every wire: it is told for what it is, and half an answer is none."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from chatd.domain.message import Role, Usage
from chatd.domain.part import Text
from chatd.errors import ProviderError
from chatd.providers.events import Finished, SourceFound, StreamEvent, TextDelta
from chatd.providers.http_model import HttpModel
from chatd.providers.model import Model, Request
from chatd.providers.transport.source import Limits
from tests.fake_provider.places import PLACES, STORED, model_at
from tests.fake_provider.script import Answer, answer, say
from tests.fake_provider.server import InOnePiece
from tests.fake_provider.troubles import (
    Breaks,
    Complaint,
    Cut,
    Fault,
    Hint,
    Html,
    Lost,
    Malformed,
    Silence,
    SlowStart,
    Unknown,
)
from tests.fake_provider.turns.stories import THREE_STEPS
from tests.fake_provider.turns.world import ProviderWorld, working
from tests.fake_provider.wires.anthropic import Messages
from tests.fake_provider.wires.chat import Chat, OpenRouter
from tests.fake_provider.wires.converse import Converse
from tests.fake_provider.wires.gemini import Gemini
from tests.fake_provider.wires.responses import Responses
from tests.providers.histories import message
from tests.traceability import proves
from tests.words import OWNER

WIRES = [place for place in PLACES if place != STORED]
SHORT = answer(say("Hel", "lo", "."))
REQUEST = Request(messages=[message(Role.USER, Text(text="Hello?"))])
CUTS = 24


@pytest.fixture
async def world(folder: Path) -> AsyncIterator[ProviderWorld]:
    async with working(folder) as world:
        yield world


async def model(world: ProviderWorld, place: str) -> Model:
    return await world.registry.find(model_at(place), OWNER)


async def attempted(world: ProviderWorld, place: str) -> tuple[list[StreamEvent], ProviderError | None]:
    """What was said, and why no more."""
    events: list[StreamEvent] = []
    try:
        async for batch in (await model(world, place)).stream(REQUEST):
            events += batch
    except ProviderError as error:
        return events, error
    return events, None


async def heard(world: ProviderWorld, place: str) -> list[StreamEvent]:
    events, error = await attempted(world, place)
    assert error is None, error
    return events


async def failure(world: ProviderWorld, place: str) -> ProviderError:
    _, error = await attempted(world, place)
    assert error is not None
    return error


def words(events: list[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def nameless(events: list[StreamEvent]) -> list[StreamEvent]:
    """Without what is named anew in each run."""
    return [replace(event, source_id="") if isinstance(event, SourceFound) else event for event in events]


@proves("model-layer", 4)
@pytest.mark.parametrize("place", WIRES)
@pytest.mark.parametrize("step", THREE_STEPS)
async def test_unknown_frames_and_fields_change_nothing(
    world: ProviderWorld, place: str, step: Answer
) -> None:
    wire = world.fake.wires[place]
    world.fake.will_say(step, replace(step, troubles=(Unknown(),)))

    plain = await heard(world, place)
    disturbed = await heard(world, place)

    # The second answer has names of its own.
    first, second = (str(asked.number) for asked in world.asked)
    assert len(wire.unknown()) > 0
    assert _renamed(disturbed, f"given{second}", f"given{first}") == _renamed(plain)


def _renamed(events: list[StreamEvent], old: str = "?", new: str = "?") -> list[str]:
    return [repr(event).replace(old, new) for event in nameless(events)]


@pytest.mark.parametrize("place", WIRES)
async def test_every_wire_counts_what_was_used(world: ProviderWorld, place: str) -> None:
    world.fake.will_say(SHORT)

    end = (await heard(world, place))[-1]

    assert isinstance(end, Finished)
    assert end.usage is not None
    # Gemini does not tell what it wrote to a cache.
    written = 0 if place == Gemini.name else 10
    thought = 0 if place == Converse.name else 25
    assert end.usage == Usage(
        input_tokens=110 - written,
        cache_read_tokens=60,
        cache_creation_tokens=written,
        output_tokens=40,
        reasoning_tokens=thought,
        total_tokens=210,
    )


@proves("model-layer", 2)
@pytest.mark.parametrize("place", WIRES)
@pytest.mark.parametrize("politely", [False, True], ids=["lost", "ended"])
async def test_an_answer_that_is_cut_anywhere_is_never_taken_for_a_whole_one(
    world: ProviderWorld, place: str, *, politely: bool
) -> None:
    world.fake.will_say(SHORT)
    whole = await heard(world, place)
    size = len(b"".join(world.fake.wires[place].frames(SHORT, world.asked[-1])))

    for at in range(0, size, size // CUTS):
        world.fake.will_say(replace(SHORT, troubles=(Cut(at, politely=politely),)))
        events, error = await attempted(world, place)
        if error is None:
            # Only what follows the last word was cut off.
            assert words(events) == words(whole)
            assert at > size // 2
        else:
            assert error.retryable, f"cut at {at}: {error.fault}"
            assert not any(isinstance(event, Finished) for event in events)
            assert words(whole).startswith(words(events))


@proves("model-layer", 6)
@pytest.mark.parametrize("place", WIRES)
async def test_a_frame_that_cannot_be_read_ends_the_answer(world: ProviderWorld, place: str) -> None:
    world.fake.will_say(replace(SHORT, troubles=(Malformed(after=3),)))

    assert (await failure(world, place)).fault == "invalid_response"


@pytest.mark.parametrize("place", WIRES)
async def test_an_error_within_a_success_is_an_error(world: ProviderWorld, place: str) -> None:
    faults = {Fault.OVERLOADED: True, Fault.RATE_LIMIT: True, Fault.SERVER: True, Fault.BAD_REQUEST: False}
    for fault in faults:
        world.fake.will_say(replace(SHORT, troubles=(Breaks(after=4, fault=fault, words="It broke."),)))

    found = {fault: await failure(world, place) for fault in faults}

    assert {fault: error.retryable for fault, error in found.items()} == faults
    assert all(error.detail == "It broke." for error in found.values())


@proves("model-layer", 149)
@pytest.mark.parametrize("place", WIRES)
async def test_silence_is_waited_out_only_for_so_long(world: ProviderWorld, place: str) -> None:
    world.fake.will_say(
        replace(SHORT, troubles=(SlowStart(0.1),)),
        replace(SHORT, troubles=(Silence(after=3, seconds=0.01),)),
        replace(SHORT, troubles=(Silence(after=3),)),
    )

    patient = await model(world, place)
    assert isinstance(patient, HttpModel)
    limits = Limits(first_byte_seconds=0.3, silence_seconds=0.05)
    patient._endpoint = replace(patient._endpoint, limits=limits)

    # The beginning may take longer than a pause may.
    assert words(await heard(world, place)) == "Hello."
    assert words(await heard(world, place)) == "Hello."
    assert (await failure(world, place)).fault == "stream_silence"
    await world.fake.until(lambda: world.fake.speaking == 0)


FAULTS = {
    Fault.BAD_REQUEST: ("generic", False),
    Fault.BAD_KEY: ("auth", False),
    Fault.FORBIDDEN: ("auth", False),
    Fault.NO_SUCH_MODEL: ("config", False),
    Fault.RATE_LIMIT: ("rate_limit", True),
    Fault.OVERLOADED: ("overloaded", True),
    Fault.SERVER: ("generic", True),
}


@proves("model-layer", 141)
@pytest.mark.parametrize("place", WIRES)
async def test_each_provider_complains_in_its_own_words_and_is_understood(
    world: ProviderWorld, place: str
) -> None:
    world.fake.will_say(*(Complaint(fault=fault, words="Because.") for fault in FAULTS))

    found = {fault: await failure(world, place) for fault in FAULTS}

    told = {fault: (error.kind, error.retryable) for fault, error in found.items()}
    # Google and Amazon have one word for being overloaded and for being away.
    away = told[Fault.OVERLOADED] == ("timeout", True)
    assert told == (FAULTS | {Fault.OVERLOADED: ("timeout", True)} if away else FAULTS)
    assert away == (place in {Gemini.name, Converse.name, "bedrock-invoke"})
    assert all(error.detail == "Because." for error in found.values())


@proves("model-layer", 139, 140)
@pytest.mark.parametrize(
    ("place", "hint"),
    [
        *((place, Hint("seconds", 7)) for place in WIRES),
        (Messages.name, Hint("date", 90)),
        (Responses.name, Hint("milliseconds", 1.5)),
        (Messages.name, Hint("anthropic reset", 90)),
        (Responses.name, Hint("openai reset", 6 * 60)),
        (Chat.name, Hint("openai reset", 1.5)),
        (Chat.name, Hint("litellm", 7)),
        (Gemini.name, Hint("retry info", 34)),
    ],
)
async def test_when_to_come_back_is_understood_in_every_form(
    world: ProviderWorld, place: str, hint: Hint
) -> None:
    world.fake.will_say(Complaint(fault=Fault.RATE_LIMIT, retry=hint))

    error = await failure(world, place)

    assert error.kind == "rate_limit"
    # Dates know whole seconds, and time passes.
    assert error.retry_after_seconds == pytest.approx(hint.seconds, abs=3 if hint.seconds == 90 else 0.001)


@pytest.mark.parametrize("place", WIRES)
async def test_a_page_of_a_gateway_is_shown_to_no_user(world: ProviderWorld, place: str) -> None:
    world.fake.will_say(Html(502), Html(200), Lost())

    bad_gateway = await failure(world, place)
    no_stream = await failure(world, place)
    gone = await failure(world, place)

    assert (bad_gateway.kind, bad_gateway.retryable) == ("timeout", True)
    assert (no_stream.fault, no_stream.retryable) == ("invalid_response", True)
    assert (gone.fault, gone.retryable) == ("transport", True)
    for error in (bad_gateway, no_stream, gone):
        assert "nginx" not in f"{error.message} {error.detail}"


@proves("model-layer", 117)
@pytest.mark.parametrize("place", WIRES)
async def test_an_answer_in_one_piece_is_taken_where_servers_are_known_to_do_so(
    world: ProviderWorld, place: str
) -> None:
    world.fake.will_say(InOnePiece(SHORT))

    if place in {Chat.name, OpenRouter.name}:
        events = await heard(world, place)
        assert words(events) == "Hello."
        assert isinstance(events[-1], Finished)
    else:
        assert (await failure(world, place)).fault == "invalid_response"
