"""The duty of an interrupted chat: keep what was said."""

from collections.abc import Sequence

from chatd.agent.desk import Hold
from chatd.agent.salvage import salvaged
from chatd.domain.transitions.finish_interruption import FinishInterruption
from chatd.kit.clock import milliseconds
from chatd.live.episode import EpisodeKey, Spoken
from chatd.live.log import said_before


async def save_interrupted(hold: Hold) -> None:
    """Close the episode, so that nothing more is said in it; then save what it holds."""
    parts, runtime_ms = await _said(hold)
    partial = salvaged(parts, now=hold.desk.now(), model=hold.chat.last_model, runtime_ms=runtime_ms)
    await hold.commit(FinishInterruption(partial=partial))


async def _said(hold: Hold) -> tuple[Sequence[Spoken], int | None]:
    """What the newest attempt that spoke has said, and for how long: from memory or from the part log."""
    board, versions = hold.desk.board, hold.chat.versions
    key = EpisodeKey(hold.chat_id, versions.history, versions.attempt)
    started = board.model_started_at(key)
    board.close(key)
    if parts := board.parts(key):
        spent = milliseconds(hold.desk.clock.monotonic() - started) if started is not None else None
        return parts, spent
    # What an earlier attempt said is still shown, by us or by a process before us.
    attempt, logged = await said_before(hold.desk.store.db, hold.chat_id, versions.history)
    earlier = board.newest_spoken(hold.chat_id, versions.history)
    if earlier is not None and earlier.key.attempt >= attempt:
        return earlier.spoken, None
    return logged, None
