"""Before the first change of a step the files of the workspace are kept, so that they can be brought back."""

from collections.abc import Sequence

import structlog

from chatd.agent.hold.hold import Hold
from chatd.domain.call import Call, Effect
from chatd.domain.message import Draft, Role, Visibility
from chatd.domain.part import Text
from chatd.storage.reads.checkpoints import was_noticed
from chatd.workspaces.checkpoints import CheckpointError
from chatd.workspaces.workspace import Workspace

NOT_KEPT = "The files could not be kept before this step, so it cannot be undone with a restore."

log = structlog.get_logger()


async def keep_files(hold: Hold, workspace: Workspace | None, calls: Sequence[Call]) -> tuple[Draft, ...]:
    """Best effort: the agent works on without. People are told so, once in a turn, by what this returns."""
    points = workspace.checkpoints if workspace is not None else None
    if points is None or not calls:
        return ()
    with hold.progress.pause():
        # Also before reading: files that are being brought back are neither the old nor the new ones.
        await points.settled()
    changing = next((call for call in calls if call.effect is not Effect.READ), None)
    if changing is None:
        return ()
    try:
        with hold.progress.pause():
            await points.take(hold.chat_id, changing.message_id)
    except CheckpointError as error:
        log.warning("checkpoint.failed", chat_id=hold.chat_id, error=str(error))
        return await _notice(hold, error)
    return ()


async def _notice(hold: Hold, error: CheckpointError) -> tuple[Draft, ...]:
    """The history is asked: a turn that has waited for a person is gone on with by another hold."""
    turn = hold.chat.projection.turn_start
    if await was_noticed(hold.services.store.db, hold.chat_id, turn, NOT_KEPT):
        return ()
    words = f"{NOT_KEPT} {error}"
    return (Draft(role=Role.SYSTEM, content=(Text(text=words),), visibility=Visibility.USER),)
