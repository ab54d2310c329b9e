"""One model call: its parts to the live board as they come, the whole reply to storage."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from functools import partial

import structlog
from msgspec.structs import replace

from chatd.agent import metrics, spans
from chatd.agent.approvals.judging import judge_reply
from chatd.agent.compaction.refusals import TOO_LONG
from chatd.agent.compaction.room import (
    PromptSize,
    counted_by,
    learn_accepted,
    learn_refusal,
    make_prompt_fit,
)
from chatd.agent.generation.new_files import keep_file
from chatd.agent.generation.options import with_options
from chatd.agent.generation.reply import Reply
from chatd.agent.hold.hold import Hold
from chatd.agent.services import Asking
from chatd.domain.decision.projection import CALIBRATED_FROM_TOKENS
from chatd.domain.message import Draft, Message, Role
from chatd.domain.part import Text
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.usage.charge import Fate
from chatd.errors import ProviderError, Refused, Stale
from chatd.kit import tracing
from chatd.kit.clock import milliseconds
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import EpisodeKey, LivePart
from chatd.providers import failures
from chatd.providers.failures import refused
from chatd.providers.model import UNWANTED, Model, Request
from chatd.records.run import Operation
from chatd.storage.tables.files import read_files
from chatd.storage.transactions.transact import Then
from chatd.tools.toolbox import Toolbox

log = structlog.get_logger()

# Publishes a part. It never waits and never fails.
Show = Callable[[Role, LivePart], None]

TOTAL_SECONDS = 3600.0

# Bounds of ours that a reply may run into. What was said until then is kept: another try would bring as much.
CUT_OFF_BY = frozenset({"answer_too_large", "no_room"})

NO_TOOLS = Toolbox()

RAN_OUT = (
    "The model reached its output limit before it answered. "
    "Allow it more output, have it think less, or ask for less at once."
)


async def begin_attempt(hold: Hold, model: Model) -> tuple[int, Episode]:
    """Count the attempt, then open its episode: a crash in between must not earn a free retry.

    Where it was clear that another step would follow, the step before has counted it already.
    """
    if not hold.take_begun():
        await hold.commit(BeginAttempt(counted=counted_by(hold, model)))
        hold.take_begun()
    versions = hold.chat.versions
    key = EpisodeKey(hold.chat_id, versions.history, versions.attempt)
    return versions.attempt, hold.services.board.open(key)


async def generate(hold: Hold, model: Model, then: Then) -> None:
    """Say the next thing. What follows from it is decided and committed together with it.

    Raises ProviderError when the model failed; then nothing was saved.
    """
    attempt, episode = await begin_attempt(hold, model)
    try:
        toolbox = await hold.toolbox(model)
        size = await make_prompt_fit(hold, model)
        request = replace(await request_of(hold, model, attempt), output_room=size.output_room)
        metrics.count_prompt(model, messages=len(request.messages), size_bytes=hold.memory.prompt_size_bytes)
        reply = await _ask(hold, model, request, episode, size)
        draft = _with_estimate(reply.draft(model), size)
        if (unusable := refusal_of(reply, draft, model)) is not None:
            fate, error = unusable
            charge(hold, fate, model, reply)
            raise error
        assert draft is not None, "a reply without a message is unusable"
        if draft.usage is not None and draft.usage.prompt_tokens:
            await learn_accepted(hold, model, draft.usage.prompt_tokens)
        await keep_files(hold, reply)
        judged = await judge_reply(hold, toolbox, draft, reply.unfit)
        step = CommitStep(messages=(judged.draft,), plans=judged.plans)
        try:
            await hold.commit(step, attempt=attempt, then=then)
        except (Stale, Refused):
            charge(hold, Fate.DISCARDED, model, reply)
            raise
        episode.let_go()
        metrics.labelled(metrics.STEPS, *metrics.who(model)).inc()
    finally:
        episode.close()


async def _ask(hold: Hold, model: Model, request: Request, episode: Episode, size: PromptSize) -> Reply:
    try:
        return await call_model(hold, model, request, episode)
    except ProviderError as error:
        if error.fault == TOO_LONG:
            await learn_refusal(hold, model, error, size)
        raise


def charge(
    hold: Hold, fate: Fate, model: Model, reply: Reply | None = None, operation: Operation = Operation.REPLY
) -> None:
    """Note that a call was paid for and did not become a message. What it took is known of a whole reply."""
    finished = reply.finished if reply is not None else None
    hold.charge(
        fate,
        model,
        operation.name.lower(),
        usage=finished.usage if finished is not None else None,
        cost=reply.cost(model) if reply is not None else None,
    )


def refusal_of(reply: Reply, draft: Draft | None, model: Model) -> tuple[Fate, ProviderError] | None:
    """Why a whole reply cannot be used, if so."""
    if reply.refused:
        return Fate.REFUSED, refused(reply.finished, model.provider)
    if reply.ran_out:
        ran_out = ProviderError("config", RAN_OUT, fault="output_limit", provider=model.provider)
        return Fate.CUT_OFF, ran_out
    if draft is None or _is_blank(draft):
        return Fate.EMPTY, failures.nothing_said(model.provider)
    return None


def _with_estimate(draft: Draft | None, size: PromptSize) -> Draft | None:
    """What the provider counted is set against what we had estimated, so that we know better next time."""
    if draft is None or draft.usage is None or size.raw < CALIBRATED_FROM_TOKENS:
        return draft
    return replace(draft, usage=replace(draft.usage, context_estimate=size.raw))


def _is_blank(draft: Draft) -> bool:
    """Nothing but white space: neither words, nor thoughts, nor anything else."""
    return all(isinstance(part, Text) and not part.text.strip() for part in draft.content)


async def request_of(hold: Hold, model: Model, attempt: int, *, then: tuple[Message, ...] = ()) -> Request:
    """Everything that the model is to know."""
    toolbox = await hold.toolbox(model)
    toolbox.follow(hold.memory.prompt())
    request = Request(
        messages=hold.memory.prompt(),
        then=then,
        system=await hold.prompts(model),
        tools=hold.tool_specs.of(toolbox),
        # What is said for one call only is a task of its own, and not for tools to do. They are named all the
        # same: some providers refuse a history with calls of tools that are not declared.
        tool_choice=UNWANTED if then else None,
        provider_tools=toolbox.provider_tools,
        effort=hold.chat.last_effort,
        read_files=partial(read_files, hold.services.store.db),
        chat_id=hold.chat_id,
        attempt=attempt,
    )
    if then:
        return replace(request, is_reply=False)
    return with_options(request, hold.setup.options, is_first_step=hold.chat.projection.steps == 0)


async def keep_files(hold: Hold, reply: Reply) -> None:
    """Before the message that refers to them."""
    for file in reply.files:
        await keep_file(hold, file)


async def call_model(
    hold: Hold,
    model: Model,
    request: Request,
    episode: Episode | None,
    operation: Operation = Operation.REPLY,
    *,
    slot: Asking | None = None,
    show: Show | None = None,
) -> Reply:
    """Consume the stream of one model call: publish a reply as it comes, and record the call, if wanted.

    A call in the middle of a step has no episode, and a `slot` of its own. `show` is for what is no reply of
    the agent, and is shown to people in another way.
    """
    async with hold.recording.call(hold.chat, model, request, operation) as call:
        if call is None:
            return await _call(hold, model, request, episode, operation=operation, slot=slot, show=show)
        tapped = replace(request, tap=call)
        reply = await _call(hold, model, tapped, episode, operation=operation, slot=slot, show=show)
        assert reply.finished is not None
        call.finished(reply.draft(model), reply.finished)
        return reply


async def _call(
    hold: Hold,
    model: Model,
    request: Request,
    episode: Episode | None,
    *,
    operation: Operation,
    slot: Asking | None,
    show: Show | None,
) -> Reply:
    is_reply = operation is Operation.REPLY
    if is_reply and episode is not None:
        show = episode.add
    loop = asyncio.get_running_loop()
    async with hold.asking(model, slot) as answered:
        began = loop.time()
        first = _FirstEvent(answered)
        try:
            with tracing.span(*spans.of_model(hold.chat_id, model, operation)) as span:
                reply = await _read_reply(
                    hold, model, request, episode, first=first, is_reply=is_reply, show=show
                )
                span.set(spans.of_reply(reply.finished))
            return reply
        except ProviderError as error:
            error.unanswered_seconds = 0.0 if first.seen else loop.time() - began
            if first.seen:
                charge(hold, Fate.FAILED, model, operation=operation)
            raise
        except asyncio.CancelledError:
            if first.seen:
                charge(hold, Fate.INTERRUPTED, model, operation=operation)
            raise


class _FirstEvent:
    """Notes that the provider has begun to answer."""

    def __init__(self, answered: Callable[[], None]) -> None:
        self._answered = answered
        self.seen = False

    def note(self) -> None:
        if not self.seen:
            self.seen = True
            self._answered()


async def _read_reply(
    hold: Hold,
    model: Model,
    request: Request,
    episode: Episode | None,
    *,
    first: _FirstEvent,
    is_reply: bool,
    show: Show | None,
) -> Reply:
    clock = hold.services.clock
    # One that is offered no tools calls none.
    toolbox = await hold.toolbox(model) if request.tools else NO_TOOLS
    reply = Reply(
        hold.services.now,
        held=hold.services.board.reply_bytes,
        run_by=toolbox.run_by,
        server_of=toolbox.server_of,
    )
    if is_reply and episode is not None:
        # If we are cancelled, the next duty finds it there.
        episode.let_go()
        episode.reply = reply
    started = clock.monotonic()
    if episode is not None:
        episode.start_model()
    try:
        await _consume_stream(hold, model, request, reply, show, first=first)
    except ProviderError as error:
        if error.fault not in CUT_OFF_BY or not reply.cut_off(failures.named(error, model.provider).message):
            raise
        log.warning("model.cut_off", chat_id=hold.chat_id, model=model.name, fault=error.fault)
    finally:
        if not is_reply:
            reply.release()
    if reply.finished is None:
        raise failures.broke_off()
    reply.runtime_ms = milliseconds(clock.monotonic() - started)
    # Here, and not where the reply is saved: it was paid for, whatever becomes of it.
    metrics.count_usage(metrics.who(model), reply.finished.usage, reply.cost(model))
    _log(hold, model, reply)
    return reply


async def _consume_stream(
    hold: Hold, model: Model, request: Request, reply: Reply, show: Show | None, *, first: _FirstEvent
) -> None:
    """Everything that the model says goes into the reply, and what can be shown is shown at once."""
    clock = hold.services.clock
    started = clock.monotonic()
    ends = asyncio.get_running_loop().time() + TOTAL_SECONDS
    limit = asyncio.timeout(min(model.first_seconds, TOTAL_SECONDS))
    try:
        async with limit, aclosing(model.stream(request)) as stream:
            silence = _SilenceLimit(limit, model.silence_seconds)
            async for events in stream:
                first.note()
                silence.extend()
                hold.progress.sign()
                for event in events:
                    shown = reply.take(event)
                    if shown is not None and show is not None:
                        if reply.first_ms is None:
                            reply.first_ms = milliseconds(clock.monotonic() - started)
                            metrics.labelled(metrics.FIRST_WORD, *metrics.who(model)).observe(
                                reply.first_ms / 1000
                            )
                        show(shown.role, shown.part)
    except TimeoutError as error:
        if not limit.expired():
            raise
        if (limit.when() or 0) >= ends:
            # Our own limit: another try would take as long.
            raise failures.failed("deadline", provider=model.provider) from error
        raise failures.silent(model.provider) from error


def _log(hold: Hold, model: Model, reply: Reply) -> None:
    log.info(
        "model.finished",
        chat_id=hold.chat_id,
        model=model.name,
        stop=reply.finished.stop if reply.finished else None,
        first_ms=reply.first_ms,
        milliseconds=reply.runtime_ms,
    )
    if reply.warnings:
        log.warning("model.request_changed", chat_id=hold.chat_id, model=model.name, what=reply.warnings)


class _SilenceLimit:
    """How long a model may be silent. A timer is moved only now and then: it would cost more than a word."""

    MOVED_EVERY_SECONDS = 1.0

    def __init__(self, limit: asyncio.Timeout, silence_seconds: float) -> None:
        self._limit = limit
        self._silence_seconds = silence_seconds
        self._loop = asyncio.get_running_loop()
        self._ends = self._loop.time() + TOTAL_SECONDS
        self._moved = float("-inf")

    def extend(self) -> None:
        now = self._loop.time()
        if now - self._moved >= self.MOVED_EVERY_SECONDS:
            self._moved = now
            self._limit.reschedule(min(now + self._silence_seconds, self._ends))
