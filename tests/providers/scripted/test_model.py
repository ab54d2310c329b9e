"""The scripted model, as an agent meets it."""

import asyncio
import random
import re
from collections.abc import Sequence

import pytest
from msgspec.structs import asdict, replace

from chatd.agent.compaction.summarize import INSTRUCTIONS, PREFIX
from chatd.domain.branch import FIRST_BRANCH
from chatd.domain.ids import CallId, MessageId, Micros
from chatd.domain.message import Draft, Message, Usage
from chatd.errors import ProviderError
from chatd.providers.events import (
    BlockEnded,
    Finished,
    ReasoningDelta,
    SourceFound,
    Stop,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
)
from chatd.providers.failures.faults import FAULTS, sentence
from chatd.providers.model import Model, Models, Request
from chatd.providers.scripted.model import ABOUT, END_OF_SCRIPT, LABEL, ScriptedModel
from chatd.providers.scripted.performance import (
    HURRIED_WORDS_MAX,
    LASTING_WORDS_PER_SECOND,
    Pace,
    Performance,
)
from chatd.providers.scripted.script import FAILURES, Ramble
from tests.clock import HurriedClock, MovedClock
from tests.support.scripted_only import ScriptedOnly
from tests.words import OWNER, answers, call, says, summary, user


def history(*drafts: Draft) -> tuple[Message, ...]:
    return tuple(
        Message(
            **asdict(draft),
            id=MessageId(number),
            revision=number,
            branch=FIRST_BRANCH,
            created_at=Micros(number),
            tokens=10,
        )
        for number, draft in enumerate(drafts, 1)
    )


def asked(*drafts: Draft, attempt: int = 1) -> Request:
    return Request(messages=history(*drafts), attempt=attempt)


@pytest.fixture
def hurried() -> HurriedClock:
    return HurriedClock()


@pytest.fixture
def model(hurried: HurriedClock) -> ScriptedModel:
    return ScriptedModel(hurried)


async def heard(model: Model, request: Request) -> list[StreamEvent]:
    return [event async for events in model.stream(request) for event in events]


async def heard_of(model: Model, script: str, *, attempt: int = 1) -> list[StreamEvent]:
    return await heard(model, asked(user(script), attempt=attempt))


async def heard_until_failure(
    model: Model, script: str, *, attempt: int = 1
) -> tuple[list[StreamEvent], ProviderError]:
    heard: list[StreamEvent] = []

    async def listen() -> None:
        async for events in model.stream(asked(user(script), attempt=attempt)):
            heard.extend(events)

    with pytest.raises(ProviderError) as failure:
        await listen()
    return heard, failure.value


def words_in(events: Sequence[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def end_of(events: Sequence[StreamEvent]) -> Stop:
    assert isinstance(events[-1], Finished)
    return events[-1].stop


async def test_text_comes_word_by_word_with_every_blank(model: ScriptedModel) -> None:
    events = await heard_of(model, "say Hello  there, you.")

    assert events == [
        TextDelta("Hello", "text-1"),
        TextDelta("  there,", "text-1"),
        TextDelta(" you.", "text-1"),
        BlockEnded("text-1"),
        Finished(Stop.DONE, Usage(input_tokens=10, output_tokens=5, total_tokens=15, context_limit=200_000)),
    ]


async def test_lines_in_a_row_are_one_text(model: ScriptedModel) -> None:
    events = await heard_of(model, "say One.\nsay\nsay Two.")

    assert words_in(events) == "One.\n\nTwo."
    assert [event for event in events if isinstance(event, BlockEnded)] == [BlockEnded("text-1")]


async def test_thoughts_and_words_are_blocks_of_their_own(model: ScriptedModel) -> None:
    events = await heard_of(model, "think Hm.\nsay Yes.\nthink Really?\nsay No.")

    assert events[:-1] == [
        ReasoningDelta("Hm.", "reasoning-1"),
        BlockEnded("reasoning-1"),
        TextDelta("Yes.", "text-2"),
        BlockEnded("text-2"),
        ReasoningDelta("Really?", "reasoning-3"),
        BlockEnded("reasoning-3"),
        TextDelta("No.", "text-4"),
        BlockEnded("text-4"),
    ]


async def test_calls_of_one_step_are_one_reply(model: ScriptedModel) -> None:
    events = await heard_of(model, 'say Look.\ncall echo {"text": "a"}\ncall @mine alone')

    calls = [event for event in events if isinstance(event, ToolCalled)]
    assert calls == [
        ToolCalled(CallId("call_1_1_1"), "echo", {"text": "a"}),
        ToolCalled(CallId("mine"), "alone", {}),
    ]
    assert end_of(events) is Stop.TOOLS


async def test_the_pieces_of_the_arguments_make_the_arguments(model: ScriptedModel) -> None:
    events = await heard_of(model, 'call echo {"text": "rather more than one piece"}')

    pieces = [event for event in events if isinstance(event, ToolInput)]
    assert len(pieces) > 1
    assert "".join(piece.json for piece in pieces) == '{"text":"rather more than one piece"}'


async def test_arguments_written_wrongly_arrive_as_they_were_written(model: ScriptedModel) -> None:
    events = await heard_of(model, 'call echo raw {"text": "a", "text"')

    assert [event.args for event in events if isinstance(event, ToolCalled)] == ['{"text": "a", "text"']


SCRIPT = 'call @c1 echo {"text": "a"}\nnext\nsay One more.\ncall @c2 echo {"text": "b"}\nnext\nsay Done.'


async def test_which_step_is_due_is_counted_from_the_history_alone(hurried: HurriedClock) -> None:
    drafts = [user("hello"), says("Hi."), user(SCRIPT)]
    heard_words = []
    for reply in ([says("", call("c1")), answers("c1")], [says("One more.", call("c2")), answers("c2")], []):
        fresh = ScriptedModel(hurried)
        heard_words.append(words_in(await heard(fresh, asked(*drafts))))
        drafts += reply

    assert heard_words == ["", "One more.", "Done."]


async def test_calls_without_an_id_have_one_of_their_own_in_every_step(model: ScriptedModel) -> None:
    script = user("call alone\nnext\ncall alone")

    first = await heard(model, asked(script))
    second = await heard(model, asked(script, says("", call("x")), answers("x")))

    ids = [event.call_id for event in (*first, *second) if isinstance(event, ToolCalled)]
    assert ids == ["call_1_1_1", "call_1_2_1"]


async def test_a_script_that_ends_with_a_call_is_closed_with_a_sentence(model: ScriptedModel) -> None:
    events = await heard(model, asked(user("call @c1 alone"), says("", call("c1")), answers("c1")))

    assert (words_in(events), end_of(events)) == (END_OF_SCRIPT, Stop.DONE)


async def test_the_newest_message_of_the_user_has_the_say(model: ScriptedModel) -> None:
    events = await heard(
        model,
        asked(user("call @c1 alone\nnext\nsay Old."), says("", call("c1")), answers("c1"), user("say New.")),
    )

    assert words_in(events) == "New."


async def test_a_script_goes_on_after_its_history_was_summarized(model: ScriptedModel) -> None:
    so_far = [user(SCRIPT), says("", call("c1")), answers("c1")]

    words = words_in(await heard(model, asked(*so_far, user(INSTRUCTIONS))))
    known, _, __ = summary(PREFIX + words)

    second = await heard(model, asked(known))
    third = await heard(model, asked(known, says("One more.", call("c2")), answers("c2")))
    assert (words_in(second), words_in(third)) == ("One more.", "Done.")
    assert [event.call_id for event in second if isinstance(event, ToolCalled)] == ["c2"]


async def test_a_script_that_was_over_is_over_after_a_summary(model: ScriptedModel) -> None:
    so_far = [user("call @c1 alone"), says("", call("c1")), answers("c1")]

    known, _, __ = summary(PREFIX + words_in(await heard(model, asked(*so_far, user(INSTRUCTIONS)))))

    assert words_in(await heard(model, asked(known))) == END_OF_SCRIPT


async def test_a_summary_of_ordinary_text_does_not_pretend_to_be_one(model: ScriptedModel) -> None:
    events = await heard(model, asked(user("Hello?"), says(ABOUT), user(INSTRUCTIONS)))

    assert "not an AI" in words_in(events)
    assert words_in(events) != ABOUT


async def test_ordinary_text_is_answered_by_what_this_is(model: ScriptedModel) -> None:
    events = await heard_of(model, "What is the capital of France?")

    assert (words_in(events), end_of(events)) == (ABOUT, Stop.DONE)
    assert "not an AI" in ABOUT
    # It is shown as Markdown, where lines of one paragraph become one line: no script.
    assert "\n```\nsay Let me look.\ncall echo" in ABOUT


async def test_the_example_in_the_answer_can_be_sent_as_it_is(model: ScriptedModel) -> None:
    example = re.search(r"^say .*^say [^\n]*", ABOUT, re.MULTILINE | re.DOTALL)
    assert example is not None

    events = await heard_of(model, example[0])

    assert words_in(events) == "Let me look."
    assert [event.tool for event in events if isinstance(event, ToolCalled)] == ["echo"]


async def test_a_request_without_a_user_is_answered_too(model: ScriptedModel) -> None:
    assert words_in(await heard(model, Request(messages=()))) == ABOUT


async def test_a_script_with_a_mistake_does_nothing_and_names_the_line(model: ScriptedModel) -> None:
    events = await heard_of(model, "call launch\nwait long")

    words = words_in(events)
    assert "Line 2, `wait long`: write `wait SECONDS`" in words
    assert "not an AI" in words
    assert not any(isinstance(event, ToolCalled) for event in events)
    assert end_of(events) is Stop.DONE


async def test_a_complaint_is_short_however_many_mistakes_there_are(model: ScriptedModel) -> None:
    words = words_in(await heard_of(model, "say a\n" + "hop\n" * 1000))

    assert words.count("no instruction") == 5
    assert "There are 995 more." in words


@pytest.mark.parametrize("way", FAILURES)
async def test_every_way_to_fail_is_an_error_of_the_provider(model: ScriptedModel, way: str) -> None:
    events, error = await heard_until_failure(model, f"say Well,\nfail {way} retry after 5")

    how = FAILURES[way]
    meaning = FAULTS[how.fault]
    assert words_in(events) == "Well,"
    assert (error.kind, error.retryable, error.status_code) == (
        meaning.kind, meaning.retryable, how.status_code,
    )  # fmt: skip
    assert error.message == sentence(meaning, "scripted")
    assert (error.retry_after_seconds, error.provider) == (5.0, "scripted")


async def test_a_failure_may_let_some_words_out_first(model: ScriptedModel) -> None:
    events, error = await heard_until_failure(model, "fail overloaded after 3 words\nsay one two three four")

    assert (words_in(events), error.kind) == ("one two three", "overloaded")


async def test_a_failure_that_wants_more_words_than_there_are_gets_them(model: ScriptedModel) -> None:
    events, _ = await heard_until_failure(model, "fail timeout after 5 words\nsay one two")

    assert (words_in(events)[:8], len(words_in(events).split())) == ("one two\n", 5)


async def test_a_failure_that_is_to_happen_twice_is_over_in_the_third_attempt(model: ScriptedModel) -> None:
    script = "fail overloaded twice after 1 word\nsay Now it works."

    for attempt in (1, 2):
        events, error = await heard_until_failure(model, script, attempt=attempt)
        assert (words_in(events), error.kind) == ("Now", "overloaded")
    assert words_in(await heard_of(model, script, attempt=3)) == "Now it works."


@pytest.mark.parametrize(
    ("script", "words"),
    [("say Half a\nstop", "Half a"), ("stop after 1 word\nsay Half a", "Half"), ("stop", "")],
)
async def test_a_stream_that_is_cut_has_no_end(model: ScriptedModel, script: str, words: str) -> None:
    events = await heard_of(model, script)

    assert words_in(events) == words
    assert not any(isinstance(event, Finished) for event in events)


async def test_a_reply_finishes_for_the_reason_that_the_script_gives(model: ScriptedModel) -> None:
    assert end_of(await heard_of(model, "end length\nsay This is too lo")) is Stop.LENGTH


async def test_usage_is_what_the_script_says_and_an_estimate_otherwise(model: ScriptedModel) -> None:
    events = await heard_of(model, "usage 1200 of 2000\nsay 12345678")

    assert events[-1] == Finished(
        Stop.DONE, Usage(input_tokens=1200, output_tokens=2, total_tokens=1202, context_limit=2000)
    )


async def test_a_search_is_run_by_the_provider_itself(model: ScriptedModel) -> None:
    request = replace(asked(user("search cats")), provider_tools=True)
    called, returned, source, finished = await heard(model, request)

    assert called == ToolCalled(
        CallId("call_1_1_search_1"), "web_search", {"query": "cats"}, provider_executed=True
    )
    assert isinstance(returned, ToolReturned)
    assert isinstance(source, SourceFound)
    assert finished == Finished(Stop.DONE, Usage(input_tokens=10, total_tokens=10, context_limit=200_000))


async def test_a_search_that_is_not_offered_is_not_made(model: ScriptedModel) -> None:
    events = await heard_of(model, "search cats")

    assert words_in(events) == "(No web search is offered here now.)"
    assert not any(isinstance(event, ToolCalled) for event in events)


async def test_waiting_takes_as_long_as_it_says(model: ScriptedModel, hurried: HurriedClock) -> None:
    await heard_of(model, "wait 2.5\nwait 1")

    assert hurried.slept == [2.5, 1.0]


async def test_a_stream_keeps_its_pace(model: ScriptedModel, hurried: HurriedClock) -> None:
    events = await heard_of(model, "stream 200 words at 50 per second")

    assert len(words_in(events).split()) == 200
    assert sum(hurried.slept) == pytest.approx(4.0)


async def test_a_stream_is_not_fast_for_long(model: ScriptedModel, hurried: HurriedClock) -> None:
    beyond = 3 * LASTING_WORDS_PER_SECOND
    script = "stream 50 words at 1000000 per second"

    events = await heard_of(model, "\n".join([script] * int((HURRIED_WORDS_MAX + beyond) / 50)))

    assert len(words_in(events).split()) == HURRIED_WORDS_MAX + beyond
    assert sum(hurried.slept) == pytest.approx(3.0, abs=0.01)


def test_words_without_meaning_are_thought_of_when_they_are_due() -> None:
    class Counted(random.Random):
        drawn = 0

        def random(self) -> float:
            self.drawn += 1
            return super().random()

    chance = Counted(1)
    performance = Performance(
        attempt=1, call_prefix="call", chance=chance, prompt_tokens=0, context_limit=1000
    )

    beats = performance.play((Ramble(100_000),))

    assert [type(next(beats)) for _ in range(4)] == [Pace, TextDelta, Pace, TextDelta]
    assert chance.drawn == 2


async def test_a_reader_who_is_slow_is_not_made_slower(hurried: HurriedClock) -> None:
    model = ScriptedModel(hurried, words_per_second=10)
    stream = model.stream(asked(user("say a b c d e")))

    await anext(stream)
    await hurried.sleep(60)
    rest = [event async for events in stream for event in events]

    assert words_in(rest) == " b c d e"
    assert hurried.slept == [0.1, 60]


async def test_without_a_pace_no_call_waits(hurried: HurriedClock) -> None:
    await heard_of(ScriptedModel(hurried, words_per_second=0), "say a b c\nstream 50 words")

    assert hurried.slept == []


async def test_others_run_while_a_fast_stream_is_read(hurried: HurriedClock) -> None:
    model = ScriptedModel(hurried, words_per_second=0)
    turns: list[str] = []

    async def read(name: str) -> None:
        nonlocal turns
        async for events in model.stream(asked(user("say a b"))):
            turns += [name for event in events if isinstance(event, TextDelta)]

    async with asyncio.TaskGroup() as group:
        group.create_task(read("first"))
        group.create_task(read("second"))

    assert turns == ["first", "second", "first", "second"]


async def test_words_without_meaning_are_the_same_for_the_same_seed(hurried: HurriedClock) -> None:
    said = {
        seed: words_in(await heard_of(ScriptedModel(hurried, seed=seed), "stream 20 words"))
        for seed in (1, 2)
    }

    again = words_in(await heard_of(ScriptedModel(hurried, seed=1), "stream 20 words"))
    assert again == said[1] != said[2]


async def test_a_stream_can_be_closed_in_the_middle(clock: MovedClock) -> None:
    stream = ScriptedModel(clock, words_per_second=0).stream(asked(user("say a\nwait 600\nsay b")))

    assert await anext(stream) == (TextDelta("a", "text-1"),)
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


async def test_a_script_can_be_given_once_for_all(hurried: HurriedClock) -> None:
    model = ScriptedModel(hurried, script="say From the constructor.")

    assert words_in(await heard_of(model, "say From the message.")) == "From the constructor."


@pytest.mark.parametrize("name", [None, "scripted", "scripted/scripted"])
async def test_the_scripted_model_is_found_by_its_names(model: ScriptedModel, name: str | None) -> None:
    models: Models = ScriptedOnly(model)

    assert await models.find(name, OWNER) is model


async def test_a_model_that_is_not_there_is_refused_with_those_that_are(model: ScriptedModel) -> None:
    with pytest.raises(ProviderError, match=re.escape(LABEL)) as refused:
        await ScriptedOnly(model).find("acme/large", OWNER)

    assert (refused.value.kind, refused.value.retryable) == ("config", False)
    assert "acme/large" in refused.value.message


def test_the_scripted_model_never_passes_for_an_ai(model: ScriptedModel) -> None:
    assert (model.name, model.provider, model.label) == (
        "scripted/scripted",
        "scripted",
        "Scripted (not an AI)",
    )
