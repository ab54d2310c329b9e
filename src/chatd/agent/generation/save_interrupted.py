"""The duty of an interrupted chat: keep what was said."""

from collections.abc import Sequence

from chatd.agent.generation.generate import keep_files
from chatd.agent.generation.reply import Reply
from chatd.agent.generation.salvage import salvaged
from chatd.agent.hold.hold import Hold
from chatd.domain.message import Draft, Role
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.kit.clock import milliseconds
from chatd.live.episodes.board import Episode
from chatd.live.episodes.episode import EpisodeKey, Spoken
from chatd.live.episodes.log import said_before


async def save_interrupted(hold: Hold) -> None:
    """Close the episode, so that nothing more is said in it; then save what its reply has."""
    board, versions = hold.services.board, hold.chat.versions
    key = EpisodeKey(hold.chat_id, versions.history, versions.attempt)
    board.close(key)
    episode = board.find(key)
    partial = await _said(hold, episode)
    await hold.commit(FinishInterruption(partial=partial, unbegun=hold.unbegun))
    if episode is not None:
        episode.let_go()


async def _said(hold: Hold, episode: Episode | None) -> tuple[Draft, ...]:
    """What the newest attempt that spoke has said: from its reply, from the preview, or from the part log."""
    chat = hold.chat
    if episode is not None and episode.count and not episode.mirrored:
        return await _said_in(hold, episode, _milliseconds(hold, episode))
    # What an earlier attempt said is still shown, by us or by a process before us.
    history = chat.versions.history
    attempt, logged = await said_before(hold.services.store.db, chat.id, history)
    earlier = hold.services.board.newest_spoken(chat.id, history)
    if earlier is not None and (earlier.key.attempt > attempt or not _has_more(logged, earlier, attempt)):
        return await _said_in(hold, earlier, None)
    return salvaged(logged, now=hold.services.now(), model=chat.last_model, runtime_ms=None)


def _has_more(logged: Sequence[Spoken], episode: Episode, attempt: int) -> bool:
    """Whether the log has more than our board: it has, where we only mirror what another process has said."""
    newer = attempt > episode.key.attempt
    return newer or (episode.mirrored and bool(logged) and logged[-1].seq > episode.count)


async def _said_in(hold: Hold, episode: Episode, runtime_ms: int | None) -> tuple[Draft, ...]:
    model, reply = hold.chat.last_model, episode.reply
    if not isinstance(reply, Reply):
        return salvaged(episode.spoken, now=hold.services.now(), model=model, runtime_ms=runtime_ms)
    await keep_files(hold, reply)
    content = reply.so_far()
    return (
        (Draft(role=Role.ASSISTANT, content=content, model=model, runtime_ms=runtime_ms),) if content else ()
    )


def _milliseconds(hold: Hold, episode: Episode) -> int | None:
    """How long the model has taken."""
    started = episode.model_started_at
    return milliseconds(hold.services.clock.monotonic() - started) if started is not None else None
