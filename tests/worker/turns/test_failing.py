"""Models that fail, driven by a worker: what is tried again, what is stored, what is logged."""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import structlog
from structlog.testing import capture_logs

from chatd.agent.generation.generate import RAN_OUT, TOTAL_SECONDS
from chatd.agent.metrics import RETRIES
from chatd.domain.chat import Chat, RetryState, Status
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.live.episodes.episode import EpisodeKey
from chatd.providers import failures
from chatd.providers.events import Finished, ReasoningDelta, Stop, StreamEvent, TextDelta
from chatd.providers.model import Request
from chatd.providers.scripted.model import SILENCE_SECONDS, ScriptedModel
from chatd.storage.database import Database
from tests.support.scripted_only import ScriptedOnly
from tests.traceability import proves
from tests.worker.worlds.world import World, tell


def retries(kind: str) -> float:
    return float(RETRIES.labels("scripted", "scripted", kind)._value.get())


class Remembered:
    """Every retry that was ever stored for the chat, as somebody who looks often sees them."""

    def __init__(self) -> None:
        self.states: list[RetryState] = []

    def look(self, chat: Chat) -> bool:
        state = chat.retry_state
        if state is not None and state not in self.states:
            self.states.append(state)
        return chat.status in (Status.WAITING, Status.ERROR)


@proves("errors", 35, 38)
def test_a_limit_that_passes_leaves_one_retry_behind_and_the_answer() -> None:
    async def story(world: World) -> None:
        counted, seen = retries("rate_limit"), Remembered()
        await world.start("fail rate_limit once retry after 30\nsay Finally.")
        chat = await world.until(seen.look)

        assert (await world.transcript())[1:] == ["assistant: Finally."]
        (state,) = seen.states
        assert (state.attempt, state.delay_ms, state.kind) == (1, 30_000, "rate_limit")
        assert (state.provider, state.status_code) == ("scripted", 429)
        assert state.error == "The scripted model limits how often it may be called."
        assert (chat.retry_state, chat.last_error) == (None, None)
        assert chat.versions.attempt <= 2
        assert retries("rate_limit") == counted + 1

    tell(story)


@proves("errors", 35)
def test_an_answer_at_once_leaves_no_retry_behind() -> None:
    async def story(world: World) -> None:
        seen = Remembered()
        await world.start("say Hello.")
        await world.until(seen.look)

        assert seen.states == []

    tell(story)


@proves("errors", 35)
def test_a_failure_that_stays_is_not_tried_again() -> None:
    async def story(world: World) -> None:
        seen = Remembered()
        await world.start("fail usage_limit")
        await world.until(seen.look)

        assert seen.states == []
        assert world.models.looked_for == 1

    tell(story)


@proves("errors", 35)
def test_a_stop_ends_the_waiting_for_the_next_try() -> None:
    async def story(world: World) -> None:
        await world.start("fail overloaded retry after 250")
        await world.until(lambda chat: chat.retry_state is not None)
        before = world.clock.now_micros()
        await world.tell(Interrupt())
        chat = await world.until_idle()

        assert (world.clock.now_micros() - before) / 1_000_000 < 5
        assert (chat.last_error, world.models.looked_for) == (None, 1)

    tell(story)


@proves("errors", 35)
def test_a_stop_ends_a_call_and_is_no_failure() -> None:
    async def story(world: World) -> None:
        await world.start("say Well\nwait 200\nfail overloaded")
        await world.until_said("Well")
        await world.tell(Interrupt())
        chat = await world.until_idle()

        assert (chat.retry_state, chat.last_error) == (None, None)
        assert (await world.transcript())[1:] == ["assistant: Well"]

    tell(story)


class SilentAtFirst(ScriptedModel):
    """Says a word in its first attempt, and then nothing any more."""

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        if request.attempt == 1:
            yield (TextDelta("Well"),)
            await self._clock.sleep(10 * SILENCE_SECONDS)
        async for events in super().stream(request):
            yield events


class Rejecting(ScriptedModel):
    """Gets an answer that names what only the provider knows."""

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        body = b'{"error":{"message":"No tool output found for function call call_68a1."}}'
        error = failures.from_response(400, {"request-id": "req_1"}, body, provider="openai")
        if request.attempt:
            raise error from OSError("The cause.")
        yield ()


class Endless(ScriptedModel):
    """Speaks, but does not come to an end."""

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        while True:
            yield (TextDelta("and "),)
            await self._clock.sleep(60)


class UnreadableAfterAll(ScriptedModel):
    """Too busy at first, and unreadable whenever it is not."""

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        if request.attempt == 1:
            raise failures.failed("overloaded")
        if request.attempt:
            raise failures.malformed("no JSON")
        yield ()


def with_model(model: type[ScriptedModel]) -> type[World]:
    class WithModel(World):
        def __init__(self, db: Database, *, slots: int = 8) -> None:
            super().__init__(db, slots=slots)
            self.models = ScriptedOnly(model(self.clock))

    return WithModel


def logged(event: str, play: Callable[[], None]) -> list[Any]:
    """The lines with this name that are written meanwhile."""
    structlog.reset_defaults()
    with capture_logs() as lines:
        play()
    return [line for line in lines if line["event"] == event]


@proves("errors", 39)
def test_a_model_that_falls_silent_is_asked_again_and_answers() -> None:
    async def story(world: World) -> None:
        counted, seen = retries("stream_silence_timeout"), Remembered()
        await world.start("say Finally.")
        # The pause may be short: from here on we look often.
        await world.clock.sleep(SILENCE_SECONDS - 0.5)
        chat = await world.until(seen.look)

        assert (await world.transcript())[1:] == ["assistant: Finally."]
        (state,) = seen.states
        assert (state.kind, state.error) == (
            "stream_silence_timeout", "The scripted model has stopped sending anything.",
        )  # fmt: skip
        assert (chat.retry_state, chat.last_error) == (None, None)
        assert retries("stream_silence_timeout") == counted + 1

    tell(story, make=with_model(SilentAtFirst))


def test_a_cut_stream_is_asked_for_again_in_the_name_of_the_provider() -> None:
    async def story(world: World) -> None:
        seen = Remembered()
        await world.start("stop once after 2 words\nsay One two three.")
        await world.until(seen.look)

        assert (await world.transcript())[1:] == ["assistant: One two three."]
        (state,) = seen.states
        assert (state.kind, state.provider) == ("timeout", "scripted")
        assert state.error == "The scripted model closed the connection before it had finished."

    tell(story)


@proves("errors", 10)
def test_an_answer_without_end_is_ended_and_not_asked_for_again() -> None:
    async def story(world: World) -> None:
        await world.start("say anything")
        begun = world.clock.now_micros()
        await world.clock.sleep(TOTAL_SECONDS - 100)
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert (world.clock.now_micros() - begun) / 1_000_000 < TOTAL_SECONDS + 100
        assert chat.last_error is not None
        assert (chat.last_error.kind, chat.last_error.retryable) == ("timeout", False)
        assert world.models.looked_for == 1

    tell(story, make=with_model(Endless))


def test_an_answer_that_cannot_be_read_is_asked_for_once_more() -> None:
    async def story(world: World) -> None:
        seen = Remembered()
        await world.start("fail invalid_response")
        chat = await world.until(seen.look)

        assert world.models.looked_for == 2
        assert [state.kind for state in seen.states] == ["generic"]
        assert chat.last_error is not None
        assert chat.last_error.retryable

    tell(story)


def test_other_failures_do_not_cost_an_unreadable_answer_its_second_try() -> None:
    async def story(world: World) -> None:
        seen = Remembered()
        await world.start("say anything")
        await world.until(seen.look)

        assert [state.kind for state in seen.states] == ["overloaded", "generic"]
        assert world.models.looked_for == 3

    tell(story, make=with_model(UnreadableAfterAll))


@proves("errors", 40)
def test_a_failure_that_stays_is_logged_once_with_its_cause_and_stored_for_people() -> None:
    async def story(world: World) -> None:
        await world.start("say anything")
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        error = chat.last_error
        assert error is not None
        assert (error.kind, error.provider, error.status_code) == ("generic", "scripted", 400)
        assert error.detail == failures.REPLAY_DETAIL
        assert "68a1" not in str(error)

    (line,) = logged("turn.failed", lambda: tell(story, make=with_model(Rejecting)))
    assert (line["chat_id"], line["attempt"], line["fault"]) == ("chat", 1, "replay_mismatch")
    assert (line["kind"], line["provider"], line["status"]) == ("generic", "scripted", 400)
    assert (line["model"], line["log_level"]) == ("scripted/scripted", "warning")
    assert (line["retryable"], line["request_id"]) == (False, "req_1")
    assert line["worker_id"]
    assert "call_68a1" in line["cause"]
    # What an exception says may be a whole request, with its keys.
    assert line["cause"].endswith("; OSError")
    assert "The cause." not in line["cause"]
    # A traceback would say nothing of what happened elsewhere.
    assert "exc_info" not in line


@proves("errors", 40)
def test_a_model_that_cannot_be_found_is_logged_too() -> None:
    async def story(world: World) -> None:
        await world.start("say Hi.")
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert chat.last_error.kind == "provider_disabled"

    (line,) = logged("turn.failed", lambda: tell(story, make=WithoutModels))
    assert (line["fault"], line["log_level"]) == ("provider_disabled", "warning")


def test_a_mistake_of_ours_is_logged_with_its_traceback() -> None:
    async def story(world: World) -> None:
        await world.start("say Hi.")
        await world.until_idle()

    (line,) = logged("duty.broke", lambda: tell(story, make=with_model(Dumbstruck)))
    assert (line["log_level"], line["exc_info"]) == ("error", True)


class Nowhere:
    async def find(self, *_: object) -> ScriptedModel:
        raise failures.failed("provider_disabled", provider="scripted")


class WithoutModels(World):
    def __init__(self, db: Database, *, slots: int = 8) -> None:
        super().__init__(db, slots=slots)
        self.models = Nowhere()  # type: ignore[assignment]


class Dumbstruck(ScriptedModel):
    """Breaks before it says a word, the first time, in a way that no table has."""

    asked = 0

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        self.asked += 1
        if self.asked == 1:
            raise RuntimeError("not now")
        async for events in super().stream(request):
            yield events


def test_an_attempt_that_never_came_to_speak_is_over_too() -> None:
    async def story(world: World) -> None:
        await world.start("say Hi.")
        chat = await world.until_idle()

        assert (await world.transcript())[1:] == ["assistant: Hi."]
        keys = [EpisodeKey(chat.id, history, n) for history in range(9) for n in range(4)]
        begun = [episode for key in keys if (episode := world.board.find(key)) is not None]
        assert len(begun) > 1
        assert all(episode.closed for episode in begun)

    tell(story, make=with_model(Dumbstruck))


class Pensive(ScriptedModel):
    """Thinks until it may say no more."""

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        yield [ReasoningDelta("Hm, hm."), Finished(Stop.LENGTH)]


def test_a_model_that_runs_out_of_room_before_it_answers_has_failed() -> None:
    async def story(world: World) -> None:
        await world.start("Well?")
        chat = await world.until(lambda chat: chat.status is Status.ERROR)

        assert chat.last_error is not None
        assert (chat.last_error.kind, chat.last_error.message) == ("config", RAN_OUT)
        assert world.models.looked_for == 1

    tell(story, make=with_model(Pensive))
