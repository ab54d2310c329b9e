"""A summary enters the history: for the model, and a call with its result that shows it to people."""

from msgspec.structs import replace

from chatd.agent.compaction.keep_words import as_content, newest_words
from chatd.agent.compaction.live_parts import LiveCompaction
from chatd.agent.compaction.room import PromptSize
from chatd.agent.compaction.summarize import PREFIX, SUMMARY_PERCENT, Summary
from chatd.agent.hold.follow_up import follow_up
from chatd.agent.hold.hold import Hold
from chatd.domain.chat import Reason, Status
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.projection import Counted
from chatd.domain.message import Draft, Role, Visibility
from chatd.domain.next_step import Limits
from chatd.domain.part import Json, Text
from chatd.domain.transitions import Command
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.usage.fullness import context_limit
from chatd.domain.usage.size import BYTES_PER_TOKEN
from chatd.storage.transactions.transact import Then
from chatd.tools.calls.truncate import truncated


async def save_summary(
    hold: Hold,
    summary: Summary,
    live: LiveCompaction,
    limits: Limits,
    size: PromptSize,
    *,
    attempt: int,
    requested: bool,
    counted: Counted | None = None,
) -> None:
    """In one step, with the newest words of the user beside it, and what follows from it."""
    # In tokens of our estimate, as the sizes of messages are.
    limit = size.limit * 100 // size.percent
    words = truncated(summary.words, limit * SUMMARY_PERCENT // 100 * BYTES_PER_TOKEN)
    kept = newest_words(hold.memory.everything(), hold.chat.projection.turn_start, limit)
    about: dict[str, Json] = {
        "source": "manual" if requested else "automatic",
        "threshold_percent": limits.compact_at_percent,
    }
    result: dict[str, Json] = {"summary": words, **about, **_fullness(hold, limits)}
    if summary.without_model is not None:
        result["without_model"] = summary.without_model
    triplet = (
        Draft(
            role=Role.USER,
            content=(Text(text=PREFIX + words), *as_content(kept)),
            visibility=Visibility.MODEL,
            compressed=True,
            model=summary.model,
        ),
        Draft(
            role=Role.ASSISTANT,
            content=(replace(live.call, args=about),),
            visibility=Visibility.USER,
            compressed=True,
            model=summary.model,
            runtime_ms=summary.runtime_ms or None,
        ),
        Draft(role=Role.TOOL, content=(live.result(result),), compressed=True, model=summary.model),
    )
    step = CommitStep(messages=triplet, consumes_request=requested, counted=counted)
    await hold.commit(step, attempt=attempt, then=_after(hold, limits, requested=requested))


async def save_failure(hold: Hold, live: LiveCompaction, why: str, *, attempt: int) -> None:
    """A summary that a person asked for could not be made, and none is needed: only the person is told."""
    messages = (
        Draft(
            role=Role.ASSISTANT,
            content=(replace(live.call, args={"source": "manual"}),),
            visibility=Visibility.USER,
            compressed=True,
        ),
        Draft(role=Role.TOOL, content=(live.fail(why),), visibility=Visibility.USER, compressed=True),
    )
    await hold.commit(CommitStep(messages=messages, consumes_request=True), attempt=attempt, then=_finish)


def _after(hold: Hold, limits: Limits, *, requested: bool) -> Then:
    """A summary that was asked for is all that was asked for: what failed before is not tried again."""
    return _finish if requested else follow_up(hold, limits)


def _finish(locked: LockedChat) -> tuple[Command, ...]:
    if locked.chat.status is not Status.RUNNING:
        return ()
    return (FinishTurn(reason=Reason.COMPLETE),)


def _fullness(hold: Hold, limits: Limits) -> dict[str, Json]:
    """How full the context was, for people who wonder why."""
    known = hold.chat.projection
    tokens, limit = known.prompt_tokens or known.estimated_tokens, context_limit(known.context_limit, limits)
    return {
        "context_tokens": tokens,
        "context_limit_tokens": limit,
        "usage_percent": tokens * 100 // limit if limit else 0,
    }
