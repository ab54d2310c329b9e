"""Compaction: by the summarizer that the administrators chose, by the chat's own model, or by neither.

A chat always goes on. Who cannot summarize is passed over, and what no model could summarize is summed up
without one.
"""

from contextlib import closing

import structlog
from msgspec.structs import replace

from chatd.agent import metrics
from chatd.agent.compaction.live_parts import LiveCompaction
from chatd.agent.compaction.room import counted_by, prompt_size
from chatd.agent.compaction.save import save_failure, save_summary
from chatd.agent.compaction.summarize import CUT_OFF, Summary, fits_as_it_is, summarize
from chatd.agent.compaction.without_model import summary_without_model
from chatd.agent.generation.generate import begin_attempt
from chatd.agent.hold.hold import Hold
from chatd.domain.ids import CallId
from chatd.domain.message import Effort
from chatd.domain.next_step import Limits
from chatd.domain.usage.fullness import fullness, overflows
from chatd.errors import ProviderError
from chatd.live.episodes.board import Episode
from chatd.providers.model import Model

log = structlog.get_logger()

# Tries for one history, of which each may ask two models several times. Then it is summed up without a model.
ATTEMPTS_MAX = 5
UNFINISHED = "The model reached its output limit before the summary was complete."
TOO_OFTEN = "No summary was made in several attempts."


async def compact(hold: Hold, model: Model, limits: Limits, *, requested: bool) -> None:
    """Raises ProviderError when the chat's own model has failed: it may be asked again later."""
    if hold.chat.versions.attempt > ATTEMPTS_MAX:
        # The count is durable: it has also seen the attempts in which this process was ended.
        await compact_without_model(hold, model, limits, why=TOO_OFTEN, requested=requested)
        return
    attempt, episode = await begin_attempt(hold, model)
    with closing(episode):
        live = _live(hold, episode)
        try:
            summary = await _ask(hold, model, episode, live, attempt=attempt)
        except ProviderError as error:
            live.fail(error.message)
            raise
        size = await prompt_size(hold, model)
        if summary.cut_off:
            summary = _completed(hold, summary, size.limit * 100 // size.percent)
        # No further attempt may follow that would tell what was counted.
        counted = counted_by(hold, model)
        await save_summary(
            hold, summary, live, limits, size, attempt=attempt, requested=requested, counted=counted
        )


async def compact_without_model(
    hold: Hold, model: Model, limits: Limits, *, why: str, requested: bool
) -> None:
    """No model could do it. If a person asked for it, and there is room without it, nothing is given up."""
    attempt, episode = await begin_attempt(hold, model)
    with closing(episode):
        live = _live(hold, episode)
        log.warning("compaction.without_model", chat_id=hold.chat_id, model=model.name, requested=requested)
        if requested and not overflows(fullness(hold.chat.projection, limits)):
            await save_failure(hold, live, why, attempt=attempt)
            return
        size = await prompt_size(hold, model)
        words = summary_without_model(hold.memory.prompt(), size.limit * 100 // size.percent)
        summary = Summary(words=words, without_model=why)
        await save_summary(hold, summary, live, limits, size, attempt=attempt, requested=requested)


async def _ask(hold: Hold, model: Model, episode: Episode, live: LiveCompaction, *, attempt: int) -> Summary:
    """The first whole summary; or the one that came furthest. Raises ProviderError of the chat's own model.

    A summarizer that fails, for whatever reason and for however long, is no reason to fail a chat that has a
    model of its own.
    """
    unfinished = None
    summarizer = await hold.services.summarizers.summarizer(hold.chat.owner_id)
    if (
        summarizer is not None
        and summarizer.name != model.name
        and await _is_worth_asking(hold, summarizer, model)
    ):
        try:
            # How hard to think was said to another model.
            unfinished = await _asked(hold, summarizer, episode, live, attempt=attempt, effort=None)
        except ProviderError as error:
            _log_failure(hold, summarizer, error)
        if unfinished is not None and not unfinished.cut_off:
            return unfinished
    try:
        return await _asked(hold, model, episode, live, attempt=attempt, effort=hold.chat.last_effort)
    except ProviderError:
        if unfinished is None:
            raise
        return unfinished


async def _asked(
    hold: Hold, model: Model, episode: Episode, live: LiveCompaction, *, attempt: int, effort: Effort | None
) -> Summary:
    with metrics.compacting(model):
        return await summarize(hold, model, episode, live, attempt=attempt, effort=effort)


async def _is_worth_asking(hold: Hold, summarizer: Model, model: Model) -> bool:
    """Unless it would have to be shown less than the chat's own model can read."""
    return fits_as_it_is(await prompt_size(hold, summarizer)) or not fits_as_it_is(
        await prompt_size(hold, model)
    )


def _completed(hold: Hold, summary: Summary, limit: int) -> Summary:
    """What a model could not finish, with what can be told without one."""
    said = f"{summary.words}\n{CUT_OFF}"
    words = summary_without_model(hold.memory.prompt(), limit, said_so_far=said)
    return replace(summary, words=words, cut_off=False, without_model=UNFINISHED)


def _live(hold: Hold, episode: Episode) -> LiveCompaction:
    return LiveCompaction(episode, CallId(f"summary-{hold.chat.versions.history}"))


def _log_failure(hold: Hold, summarizer: Model, error: ProviderError) -> None:
    log.warning(
        "summarizer.failed",
        chat_id=hold.chat_id,
        model=summarizer.name,
        kind=error.kind,
        fault=error.fault,
        status=error.status_code,
        request_id=error.request_id,
    )
