"""How long we wait for a provider, in time that takes none."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any

import pytest

from chatd.errors import ProviderError
from chatd.providers.events import StreamEvent, TextDelta
from chatd.providers.transport.source import LEFTOVER_SECONDS, Limits
from tests.providers.transport.memory import MemoryPost, MemorySource
from tests.providers.transport.plain import FINISHED, asking, everything, model_at, sse
from tests.support.virtual import run_virtually, running_loop
from tests.traceability import proves

LIMITS = Limits(first_byte_seconds=60, silence_seconds=120, total_seconds=3600)
PING = b": ping\n\n"


def virtually(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    @wraps(test)
    def run() -> None:
        run_virtually(test())

    # pytest looks through wrappers, and would run the coroutine itself.
    del run.__wrapped__
    return run


def now() -> float:
    return asyncio.get_running_loop().time()


def timers() -> int:
    return running_loop().timers


async def failure_of(post: MemoryPost, heard: list[StreamEvent] | None = None) -> ProviderError:
    with pytest.raises(ProviderError) as failed:
        await everything(model_at("http://localhost", post, limits=LIMITS), heard=heard)
    assert all(source.closed for source in post.sources)
    assert timers() == 0
    return failed.value


@proves("model-layer", 149)
@virtually
async def test_a_stream_that_stalls_is_given_up_after_the_silence() -> None:
    heard: list[StreamEvent] = []

    error = await failure_of(MemoryPost(MemorySource(sse("Sun"), 30, sse("day"), endless=True)), heard)

    assert heard == [TextDelta("Sun"), TextDelta("day")]
    assert (error.kind, error.retryable, error.provider) == ("stream_silence_timeout", True, "plain")
    assert now() == pytest.approx(30 + 120)


@virtually
async def test_a_silence_that_is_shorter_than_the_wait_for_the_first_byte_counts_from_then_on() -> None:
    post = MemoryPost(MemorySource(sse("Sun"), endless=True))
    limits = Limits(first_byte_seconds=60, silence_seconds=5, total_seconds=3600)

    with pytest.raises(ProviderError) as failed:
        await everything(model_at("http://localhost", post, limits=limits))

    assert failed.value.kind == "stream_silence_timeout"
    assert now() == pytest.approx(5)


@proves("model-layer", 149)
@virtually
async def test_comments_are_no_silence() -> None:
    pings = [portion for _ in range(600) for portion in (1.0, PING)]
    post = MemoryPost(MemorySource(sse("Sun"), *pings, sse("day", "[END]")))

    events = await everything(model_at("http://localhost", post, limits=LIMITS))

    assert events == [TextDelta("Sun"), TextDelta("day"), FINISHED]
    assert now() == pytest.approx(600)


@virtually
async def test_half_a_frame_is_no_silence_either() -> None:
    post = MemoryPost(MemorySource(b"data: Sun", 100.0, b"day", 100.0, b"\n\n", sse("[END]")))

    events = await everything(model_at("http://localhost", post, limits=LIMITS))

    assert events == [TextDelta("Sunday"), FINISHED]


@virtually
async def test_an_answer_that_does_not_begin_is_given_up() -> None:
    error = await failure_of(MemoryPost(MemorySource(endless=True), after_seconds=20))

    assert error.kind == "stream_silence_timeout"
    assert now() == pytest.approx(60)


@virtually
async def test_a_connection_that_is_never_made_is_given_up() -> None:
    with pytest.raises(ProviderError) as failed:
        await everything(model_at("http://localhost", MemoryPost(after_seconds=10_000), limits=LIMITS))

    assert (failed.value.kind, failed.value.retryable) == ("stream_silence_timeout", True)
    assert now() == pytest.approx(60)


@virtually
async def test_credentials_that_take_for_ever_are_given_up() -> None:
    class Slow:
        async def sign(self, url: str, body: bytes) -> Mapping[str, str]:
            await asyncio.sleep(10_000)
            return {}

    model = model_at("http://localhost", MemoryPost(MemorySource()), limits=LIMITS, credentials=Slow())
    with pytest.raises(ProviderError) as failed:
        await everything(model)

    assert failed.value.kind == "stream_silence_timeout"


@virtually
async def test_an_answer_without_end_has_one_and_is_not_tried_again() -> None:
    for_ever = [portion for _ in range(5000) for portion in (1.0, sse("on"))]

    error = await failure_of(MemoryPost(MemorySource(*for_ever)))

    assert (error.kind, error.retryable, error.fault) == ("timeout", False, "deadline")
    assert now() == pytest.approx(3600)


@virtually
async def test_a_slow_listener_is_not_the_providers_silence() -> None:
    post = MemoryPost(MemorySource(sse("Sun"), sse("day"), 100.0, sse("[END]")))
    heard: list[StreamEvent] = []

    async for batch in model_at("http://localhost", post, limits=LIMITS).stream(asking()):
        heard += batch
        await asyncio.sleep(500)

    assert heard == [TextDelta("Sun"), TextDelta("day"), FINISHED]


@virtually
async def test_there_is_one_timer_however_much_is_said() -> None:
    post = MemoryPost(MemorySource(*[sse("word")] * 5000, sse("[END]")))
    most = 0

    async for _ in model_at("http://localhost", post, limits=LIMITS).stream(asking()):
        most = max(most, timers())

    assert most == 1
    assert timers() == 0


@virtually
async def test_what_follows_the_answer_is_not_waited_for() -> None:
    post = MemoryPost(MemorySource(sse("Yes.", "[END]"), endless=True))

    assert await everything(model_at("http://localhost", post, limits=LIMITS)) == [
        TextDelta("Yes."),
        FINISHED,
    ]
    assert now() == pytest.approx(LEFTOVER_SECONDS)
    assert post.sources[0].closed


@virtually
async def test_an_answer_of_no_type_is_taken_for_a_stream() -> None:
    post = MemoryPost(MemorySource(sse("Yes.", "[END]"), headers={}))

    assert await everything(model_at("http://localhost", post)) == [TextDelta("Yes."), FINISHED]


@virtually
async def test_a_frame_that_does_not_end_is_an_answer_that_is_too_large() -> None:
    post = MemoryPost(MemorySource(b"data: ", *[b"x" * 1024 * 1024] * 33, endless=True))

    assert (await failure_of(post)).fault == "answer_too_large"
