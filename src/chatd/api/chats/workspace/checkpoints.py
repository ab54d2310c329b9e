"""Checkpoints: what is kept of files, what a turn has changed in them, and the way back."""

import os
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import PurePath

from chatd.api import checks
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import in_use, permitted_chat, still
from chatd.api.chats.workspace import restore_words
from chatd.api.chats.workspace.checkpoint_bodies import (
    ChangedFileView,
    CheckpointList,
    CheckpointView,
    DiffFiles,
    DiffView,
    LeftFileView,
    RestoreFiles,
    RestoreView,
    UndoRestore,
)
from chatd.api.router import Asked, B, Q, Server
from chatd.domain.chat import Chat
from chatd.domain.decision.turns import AT_REST
from chatd.domain.ids import MessageId
from chatd.domain.transitions.messages.note_restore import NoteRestore
from chatd.errors import BadInput, NotAllowed, NotFound, Refused
from chatd.kit.clock import rfc3339
from chatd.storage.reads.checkpoints import Said, first_change, read_said, workspaces_at_work
from chatd.storage.reads.read import read_setup
from chatd.storage.transactions.transact import transact
from chatd.workspaces.checkpoints import (
    Announce,
    ChangedFile,
    CheckpointError,
    Checkpoints,
    Diff,
    Kept,
    Restored,
    Trouble,
)
from chatd.workspaces.workspace import WorkspaceUnusable


async def list_(asked: Asked[Nothing, Nothing]) -> CheckpointList:
    chat = await permitted_chat(asked)
    points = await _checkpoints(asked.server, await _directory(asked.server, chat))
    kept = await points.kept(chat.id)
    return CheckpointList(
        checkpoints=tuple(
            CheckpointView(message_id=each.message_id, created_at=rfc3339(each.taken_at))
            for each in kept.checkpoints
        ),
        can_undo=kept.can_undo,
        interrupted=kept.interrupted,
    )


async def restore(asked: Asked[Nothing, RestoreFiles]) -> RestoreView:
    message_id = MessageId(checks.number(asked.path["message_id"], "message_id"))
    path = _path(asked.body.path)
    chat = in_use(await permitted_chat(asked))
    points = await _free_checkpoints(asked.server, chat)
    said = await _said(asked.server, chat, message_id)
    await _check_kept(asked.server, chat, await points.kept(chat.id), message_id)
    if asked.body.dry_run:
        return await _planned(chat, points, message_id, path)
    words = partial(restore_words.note, message_id=message_id, said=said)
    return await _perform(asked, chat, lambda tell: points.restore(chat.id, message_id, tell, path), words)


async def undo(asked: Asked[Nothing, UndoRestore]) -> RestoreView:
    chat = in_use(await permitted_chat(asked))
    points = await _free_checkpoints(asked.server, chat)
    if asked.body.dry_run:
        return await _planned(chat, points, None, None)
    words = partial(restore_words.note, message_id=None, said=None)
    return await _perform(asked, chat, lambda tell: points.restore(chat.id, None, tell), words)


async def diff(asked: Asked[DiffFiles, Nothing]) -> DiffView:
    message_id = MessageId(checks.number(asked.path["message_id"], "message_id"))
    path = _path(asked.query.path)
    chat = await permitted_chat(asked)
    points = await _checkpoints(asked.server, await _directory(asked.server, chat))
    said = await _said(asked.server, chat, message_id)
    kept = await points.kept(chat.id)
    until = said.next_user_message if asked.query.until == "next" else None
    gaps = [await _gap(asked.server, chat, kept, each) for each in (message_id, until) if each is not None]
    try:
        found = await points.diff(chat.id, message_id, until, path)
    except CheckpointError as error:
        if error.trouble is not Trouble.NOTHING_KEPT:
            raise _refusal(error) from error
        found = Diff()
    return DiffView(
        files=_views(found.files),
        more_files=found.more_files,
        diff=found.text,
        too_long=found.too_long,
        incomplete=any(gap is not None for gap in gaps),
    )


async def _planned(
    chat: Chat, points: Checkpoints, message_id: MessageId | None, path: str | None
) -> RestoreView:
    try:
        return _view(await points.plan(chat.id, message_id, path), dry_run=True)
    except CheckpointError as error:
        raise _refusal(error) from error


async def _perform(
    asked: Asked[Q, B],
    chat: Chat,
    restore: Callable[[Announce], Awaitable[Restored]],
    words: Callable[[Restored], NoteRestore],
) -> RestoreView:
    """The history says what is about to be done, before it is done; and afterwards, what was not done."""
    server, announced = asked.server, False

    async def tell(plan: Restored) -> None:
        nonlocal announced
        try:
            await transact(server.store, chat.id, words(plan), admit=still(asked))
        except NotAllowed as error:
            raise _busy(chat) from error
        announced = True

    try:
        restored = await restore(tell)
    except CheckpointError as error:
        if announced:
            await _amend(server, chat, restore_words.cut_off(str(error)))
        raise _refusal(error) from error
    if announced and restored.failed:
        await _amend(server, chat, restore_words.amendment(restored.failed))
    return _view(restored)


async def _amend(server: Server, chat: Chat, note: NoteRestore) -> None:
    """If the agent has been told to go on meanwhile, it has to find out by itself."""
    with suppress(Refused):
        await transact(server.store, chat.id, note)


async def _directory(server: Server, chat: Chat) -> str:
    directory = (await read_setup(server.store.db, chat.id)).workspace
    if directory is None:
        raise NotAllowed("no_workspace", "This chat has no workspace, so no files are kept for it.")
    return directory


async def _checkpoints(server: Server, directory: str) -> Checkpoints:
    """Of a chat's workspace. Raises NotAllowed."""
    try:
        workspace = await server.open_workspace(directory)
    except WorkspaceUnusable as error:
        raise NotAllowed(
            "workspace_unusable",
            f"The workspace of this chat, {directory}, cannot be used now.",
            hint="See whether the directory exists, and whether `chatd serve --workspace` still names it.",
        ) from error
    if workspace.checkpoints is None:
        raise NotAllowed(
            "no_checkpoints",
            "No files are kept on this server, because git is not installed there.",
            hint="Install git. What is changed from then on can be brought back.",
        )
    return workspace.checkpoints


async def _free_checkpoints(server: Server, chat: Chat) -> Checkpoints:
    """The same if no agent is at work in that directory, above it or below it."""
    directory = await _directory(server, chat)
    if chat.status not in AT_REST:
        raise _busy(chat)
    points = await _checkpoints(server, directory)
    here = PurePath(directory)
    for other_id, other in await workspaces_at_work(server.store.db, chat.id):
        there = PurePath(other)
        if there.is_relative_to(here) or here.is_relative_to(there):
            raise NotAllowed(
                "workspace_busy",
                f"Another chat, {other_id}, works in {other} at the moment.",
                hint="Wait until it has finished, or interrupt it.",
            )
    return points


async def _said(server: Server, chat: Chat, message_id: MessageId) -> Said:
    said = await read_said(server.store.db, chat.id, message_id)
    if said is None:
        raise NotFound("message_not_found", f"This chat has no message {message_id}.")
    return said


async def _gap(server: Server, chat: Chat, kept: Kept, message_id: MessageId) -> MessageId | None:
    """A message from this one on that may have changed files before the first checkpoint that there is."""
    later = [each.message_id for each in kept.checkpoints if each.message_id >= message_id]
    return await first_change(server.store.db, chat.id, message_id, later[0] if later else None)


async def _check_kept(server: Server, chat: Chat, kept: Kept, message_id: MessageId) -> None:
    gap = await _gap(server, chat, kept, message_id)
    if gap is None:
        return
    later = [each.message_id for each in kept.checkpoints if each.message_id >= message_id]
    raise NotAllowed(
        "not_kept",
        f"The files are not kept as they were before message {message_id}: message {gap} has changed files "
        "without a checkpoint, or it was long ago.",
        hint=f"The oldest state since then is before message {later[0]}." if later else None,
    )


def _path(given: str | None) -> str | None:
    if given is None:
        return None
    try:
        os.fsencode(given)
    except UnicodeEncodeError as error:
        raise BadInput("bad_value", "`path` is no name of a file.", field="path") from error
    if "\0" in given:
        raise BadInput("bad_value", "`path` is no name of a file.", field="path")
    return given


def _busy(chat: Chat) -> NotAllowed:
    return NotAllowed(
        "chat_busy",
        f"Files cannot be brought back now: the chat is {chat.situation.in_words()}."
        if chat.status not in AT_REST
        else "Files cannot be brought back now: the agent has just begun to work.",
        hint="Interrupt the agent first, or wait until the turn is over.",
    )


def _refusal(error: CheckpointError) -> NotAllowed:
    return NotAllowed(error.trouble.value, str(error), hint="GET …/checkpoints lists what is kept.")


def _view(restored: Restored, *, dry_run: bool = False) -> RestoreView:
    return RestoreView(
        files=_views(restored.files),
        more_files=restored.more_files,
        failed=tuple(LeftFileView(path=each.path, reason=each.reason) for each in restored.failed),
        dry_run=dry_run,
    )


def _views(files: Iterable[ChangedFile]) -> tuple[ChangedFileView, ...]:
    return tuple(ChangedFileView(path=each.path, deed=each.deed) for each in files)
