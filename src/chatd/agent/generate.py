"""One model call: its parts to the live board as they come, the whole reply to storage."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import structlog

from chatd.agent.desk import Hold
from chatd.agent.reply import Reply
from chatd.domain.call import Kind
from chatd.domain.part import ToolCall
from chatd.domain.transitions.begin_attempt import BeginAttempt
from chatd.domain.transitions.commit_step import CommitStep
from chatd.domain.transitions.finish_turn import FinishTurn
from chatd.errors import ProviderError
from chatd.kit.clock import Clock
from chatd.live.board import Episode
from chatd.live.episode import EpisodeKey
from chatd.providers.events import StreamEvent
from chatd.providers.model import Model, Request, ToolSpec
from chatd.tools.toolbox import Toolbox

log = structlog.get_logger()

FIRST_EVENT_SECONDS = 60.0
SILENCE_SECONDS = 300.0
TOTAL_SECONDS = 3600.0


async def begin_attempt(hold: Hold) -> tuple[int, Episode]:
    """Count the attempt, then open its episode: a crash in between must not earn a free retry.

    Where it was clear that another step would follow, the step before has counted it already.
    """
    if not hold.take_begun():
        await hold.commit(BeginAttempt())
        hold.take_begun()
    versions = hold.chat.versions
    key = EpisodeKey(hold.chat_id, versions.history, versions.attempt)
    return versions.attempt, hold.desk.board.open(key)


async def generate(hold: Hold, model: Model) -> None:
    """Say the next thing. Raises ProviderError when the model failed; then nothing was saved."""
    attempt, episode = await begin_attempt(hold)
    toolbox = hold.toolbox(model)
    request = Request(
        messages=hold.memory.prompt(),
        tools=_told(toolbox),
        effort=hold.chat.last_effort,
        attempt=attempt,
    )
    try:
        reply, runtime_ms = await listen(hold, model, request, episode)
        if reply.refused:
            raise ProviderError(
                "content_filter", "The model declined to answer this.", provider=model.provider
            )
        draft = reply.draft(model=model.name, runtime_ms=runtime_ms, context_limit=model.context_limit)
        if draft is None:
            await hold.commit(FinishTurn(), attempt=attempt)
        else:
            calls = [part for part in draft.content if isinstance(part, ToolCall)]
            step = CommitStep(messages=(draft,), plans=tuple(toolbox.plan(call) for call in calls))
            runs_tools = any(toolbox.kind(call) is Kind.LOCAL for call in calls)
            await hold.commit(step, *([BeginAttempt()] if runs_tools else []), attempt=attempt)
    finally:
        episode.close()


async def listen(
    hold: Hold, model: Model, request: Request, episode: Episode, *, aloud: bool = True
) -> tuple[Reply, int]:
    """Take everything the model says, and show it as it comes, if it is said aloud."""
    desk = hold.desk
    reply = Reply(desk.now)
    started = desk.clock.now_micros()
    episode.start_model()
    first_ms: int | None = None
    async with aclosing(_guarded(model, request, desk.clock)) as events:
        async for event in events:
            if first_ms is None:
                first_ms = (desk.clock.now_micros() - started) // 1000
            shown = reply.take(event)
            if shown is not None and aloud:
                episode.add(shown.role, shown.part)
    if reply.finished is None:
        raise ProviderError(
            "timeout", "The model's reply broke off.", retryable=True, provider=model.provider
        )
    runtime_ms = (desk.clock.now_micros() - started) // 1000
    log.info(
        "model.finished",
        chat_id=hold.chat_id,
        model=model.name,
        stop=reply.finished.stop,
        first_event_ms=first_ms,
        milliseconds=runtime_ms,
    )
    return reply, runtime_ms


async def _guarded(model: Model, request: Request, clock: Clock) -> AsyncGenerator[StreamEvent, None]:
    """The stream, within its limits: to the first event, between two events, in all."""
    ends = clock.now_micros() + int(TOTAL_SECONDS * 1_000_000)
    patience = FIRST_EVENT_SECONDS
    async with aclosing(model.stream(request)) as stream:
        while True:
            left = (ends - clock.now_micros()) / 1_000_000
            try:
                async with asyncio.timeout(min(patience, left)):
                    event = await anext(stream, None)
            except TimeoutError as error:
                raise ProviderError(
                    "stream_silence_timeout",
                    "The model has been silent for too long.",
                    retryable=True,
                    provider=model.provider,
                ) from error
            if event is None:
                return
            patience = SILENCE_SECONDS
            yield event


def _told(toolbox: Toolbox) -> tuple[ToolSpec, ...]:
    """Tools and models do not know one another; here they are introduced."""
    return tuple(
        ToolSpec(name=offer.name, description=offer.description, input_schema=offer.input_schema)
        for offer in toolbox.specs()
    )
