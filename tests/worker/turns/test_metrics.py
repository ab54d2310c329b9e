"""What agents count while they work. Counters live as long as the process: a test looks at the difference."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence

from chatd.domain.chat import Status
from chatd.domain.message import Cost
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.kit.clock import Clock
from chatd.providers import failures
from chatd.providers.events import Finished, Stop, StreamEvent, TextDelta
from chatd.providers.model import Request
from chatd.providers.scripted.model import ScriptedModel
from chatd.providers.scripted.performance import PROVIDER
from tests.support.counted import added_since, counted
from tests.traceability import proves
from tests.words import OWNER
from tests.worker.turns.test_failing import WithoutModels, with_model
from tests.worker.worlds.world import CHAT, World, tell

WHO = '{provider="scripted",model="scripted"'

Counts = Mapping[str, float]


def counts(story: Callable[[World], Awaitable[None]], make: type[World] = World) -> Counts:
    """What the story adds."""
    before = counted()
    tell(story, make=make)
    return added_since(before)


def of(name: str, found: Counts) -> dict[str, float]:
    """Those of one name, by their labels beyond provider and model."""
    return {
        key.removeprefix(name).removeprefix(WHO).strip(",}"): value
        for key, value in found.items()
        if key.partition("{")[0] == name
    }


def test_a_turn_is_counted_with_its_steps_its_tools_and_its_tokens() -> None:
    async def story(world: World) -> None:
        await world.start('say Let me look.\ncall echo {"text": "Mars"}\nnext\nwait 2\nsay Mars.')
        await world.until_idle()

    found = counts(story)

    assert of("chatd_turns_total", found) == {'outcome="complete"': 1}
    assert of("chatd_steps_total", found) == {"": 2}
    assert of("chatd_ttft_seconds_count", found) == {"": 2}
    assert 2 <= of("chatd_ttft_seconds_sum", found)[""] < 3
    # The user's words, and then the call and its result as well.
    assert (of("chatd_message_count_count", found), of("chatd_message_count_sum", found)) == (
        {"": 2},
        {"": 4},
    )
    assert 100 < of("chatd_prompt_size_bytes_sum", found)[""] < 1000
    assert of("chatd_tool_result_size_bytes_sum", found) == {'tool_name="echo"': len('{"text":"Mars"}')}
    assert set(of("chatd_tokens_total", found)) == {'kind="input"', 'kind="output"'}
    assert of("chatd_tool_errors_total", found) == of("chatd_stream_retries_total", found) == {}


def test_what_a_model_makes_up_is_no_label() -> None:
    async def story(world: World) -> None:
        await world.start('call invented {"a": 1}\ncall explode\ncall echo {"txt": 1}\nnext\nsay Sorry.')
        await world.until_idle()

    found = of("chatd_tool_errors_total", counts(story))

    assert found == {'tool_name="unknown"': 1, 'tool_name="explode"': 1, 'tool_name="echo"': 1}


@proves("loop", 19)
def test_every_call_of_a_batch_that_could_not_run_together_is_an_error() -> None:
    async def story(world: World) -> None:
        await world.start('call alone\ncall echo {"text": "x"}\nnext\nsay One at a time.')
        await world.until_idle()

    assert of("chatd_tool_errors_total", counts(story)) == {'tool_name="alone"': 1, 'tool_name="echo"': 1}


def test_a_result_that_does_not_fit_is_counted_as_cut() -> None:
    async def story(world: World) -> None:
        await world.start('call echo {"text": "' + "x" * 20_000 + '"}\nnext\nsay Long.')
        await world.until(lambda chat: chat.status in (Status.WAITING, Status.ERROR))

    found = counts(story, with_model(Narrow))

    assert of("chatd_tool_result_truncated_total", found) == {'tool_name="echo"': 1}
    assert of("chatd_tool_result_size_bytes_sum", found)['tool_name="echo"'] <= 16 * 1024


def test_turns_are_told_apart_by_how_they_ended() -> None:
    async def story(world: World) -> None:
        await world.start("say Well\nwait 200")
        await world.until_said("Well")
        await world.tell(Interrupt())
        await world.until_idle()
        await world.send("fail auth")
        await world.until(lambda chat: chat.status is Status.ERROR)

    found = counts(story)

    assert of("chatd_turns_total", found) == {'outcome="interrupted"': 1, 'outcome="failed"': 1}
    assert of("chatd_steps_total", found) == {}


def test_a_turn_whose_model_cannot_be_found_is_counted_as_unknown() -> None:
    async def story(world: World) -> None:
        await world.start("say Hi.")
        await world.until(lambda chat: chat.status is Status.ERROR)

    found = counts(story, WithoutModels)

    assert found['chatd_turns_total{provider="unknown",model="unknown",outcome="failed"}'] == 1


def test_a_summary_is_counted_by_how_it_went() -> None:
    async def story(world: World) -> None:
        await world.start("say One.")
        await world.until_idle()
        await world.tell(RequestCompaction())
        await world.until_idle()

    async def failing(world: World) -> None:
        await world.start("say One.")
        await world.until_idle()
        await world.tell(RequestCompaction())
        await world.until_idle()

    assert of("chatd_compaction_total", counts(story)) == {'result="success"': 1}
    assert of("chatd_compaction_total", counts(failing, with_model(WithoutSummary))) == {'result="error"': 1}
    assert of("chatd_compaction_total", counts(failing, with_model(Late))) == {'result="timeout"': 1}


class Narrow(ScriptedModel):
    """Has hardly any room for results."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock, context_limit=10_000)
        self.compression_threshold = 100


class WithoutSummary(ScriptedModel):
    """Cannot sum up."""

    fault = "auth"

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        if request.then:
            raise failures.failed(self.fault)
        async for events in super().stream(request):
            yield events


class Late(WithoutSummary):
    fault = "deadline"


class Priced(ScriptedModel):
    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        yield [TextDelta("Mars."), Finished(Stop.DONE)]

    def cost(self, finished: Finished, *, answered_by: str = "") -> Cost:  # type: ignore[override]
        return Cost(micros=250, source="settings")


def test_what_calls_have_cost_adds_up_in_micros() -> None:
    async def story(world: World) -> None:
        await world.start("Name a planet.")
        await world.until_idle()
        await world.send("And another.")
        await world.until_idle()

    assert of("chatd_cost_micros_total", counts(story, with_model(Priced))) == {"": 500}


def test_chats_are_counted_while_they_work_and_while_they_wait_for_it() -> None:
    states = ('chatd_chats{state="streaming"}', 'chatd_chats{state="waiting"}')

    async def story(world: World) -> None:
        before = counted()

        def driven() -> tuple[float, ...]:
            now = counted()
            return tuple(now[state] - before[state] for state in states)

        assert driven() == (0, 0)
        await world.start("say Well\nwait 200")
        await world.until_said("Well")
        assert driven() == (1, 0)
        await world.tell(Interrupt())
        await world.until_idle()
        await world.send("fail overloaded once retry after 250\nsay Finally.")
        await world.until(lambda chat: chat.retry_state is not None)
        assert driven() == (0, 1)
        await world.until(lambda chat: chat.status is Status.WAITING and chat.lease is None)
        assert driven() == (0, 0)

    tell(story)


def test_no_number_is_of_a_chat_or_of_a_user() -> None:
    async def story(world: World) -> None:
        await world.start('call echo {"text": "Mars"}\nnext\nsay Mars.')
        await world.until_idle()

    found = counts(story)

    assert PROVIDER in str(found)
    assert not any(f'"{name}"' in line for line in found for name in (CHAT, OWNER))
