"""Chats in answers: each as its caller may see it."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from msgspec.structs import asdict, replace

from chatd.api import bodies
from chatd.api.router import Asked, B, Q
from chatd.api.serving.callers.permits import Seen, own
from chatd.api.views import Eyes, Picture, shown
from chatd.domain.call import awaits_action
from chatd.domain.chat import Chat, Status
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import ChatId
from chatd.domain.people.permit import AdminsRead, View
from chatd.domain.setup import NO_SETUP
from chatd.storage.database import Database
from chatd.storage.reads.around import GONE, Around, read_around, read_chat_around
from chatd.storage.reads.read import read_setup, read_snapshot
from chatd.storage.transactions.families import NO_CHILDREN, read_all_children

# Newer than any revision: then a snapshot has no messages in it.
NO_HISTORY = 2**63 - 1


async def show_locked(asked: Asked[Q, B], seen: Seen, locked: LockedChat) -> bodies.ChatView:
    """The chat as a transaction left it."""
    was_read = locked.setup is not None or locked.chat.versions.setup == 0
    picture = Picture(
        chat=locked.chat,
        queue=locked.queue,
        waiting_for=[call for call in locked.calls if awaits_action(call)],
        setup=(locked.setup or NO_SETUP) if was_read else None,
    )
    return await show_picture(asked, seen, picture)


async def show_own(asked: Asked[Q, B], locked: LockedChat) -> bodies.ChatView:
    """The same for a chat that the caller has just made."""
    return await show_locked(asked, own(locked.chat), locked)


async def show_submitted(
    asked: Asked[Q, B], seen: Seen, locked: LockedChat, message_ids: tuple[int, ...]
) -> bodies.Submitted:
    """The same, with the messages that entered the history. As in `shown`, typed as the whole one."""
    view = await show_locked(asked, seen, locked)
    kind = bodies.Submitted if seen.view is View.FULL else bodies.SharedSubmitted
    return cast("bodies.Submitted", kind(**asdict(view), message_ids=message_ids))


async def show_picture(asked: Asked[Q, B], seen: Seen, picture: Picture) -> bodies.ChatView:
    around = await read_around(asked.store.db, asked.user.id, (picture.chat,))
    return shown(picture, _eyes(asked, seen, around.get(picture.chat.id, GONE)))


async def show_now(asked: Asked[Q, B], seen: Seen) -> bodies.ChatView | None:
    """The chat as it is at this moment. None: it is gone."""
    found = await read_chat_around(asked.store.db, asked.user.id, seen.chat.id)
    return await show_found(asked, replace(seen, chat=found[0]), found[1]) if found is not None else None


async def show_found(asked: Asked[Q, B], seen: Seen, around: Around) -> bodies.ChatView:
    """The chat as it was just read. What few chats have is read by itself, where there is any."""
    db, chat = asked.store.db, seen.chat
    children = await read_all_children(db, (chat,))
    picture = Picture(
        chat=chat,
        children=children.get(chat.id, NO_CHILDREN),
        setup=await read_setup(db, chat.id) if chat.versions.setup else NO_SETUP,
    )
    return shown(await _with_waiting(db, picture), _eyes(asked, seen, around))


async def show_page(
    asked: Asked[Q, B],
    chats: Sequence[Chat],
    see: Callable[[Chat], Seen],
    *,
    around: Mapping[ChatId, Around] | None = None,
) -> tuple[bodies.ChatView, ...]:
    """As rows of a list. `see` says what the caller may see of each; `around` is read unless it is known."""
    db = asked.store.db
    children = await read_all_children(db, chats)
    pictures = [
        await _with_waiting(
            db, Picture(chat=chat, children=children.get(chat.id, NO_CHILDREN), is_listed=True)
        )
        for chat in chats
    ]
    known = around if around is not None else await read_around(db, asked.user.id, chats)
    return tuple(
        shown(each, _eyes(asked, see(each.chat), known.get(each.chat.id, GONE))) for each in pictures
    )


async def _with_waiting(db: Database, picture: Picture) -> Picture:
    """With its queue, and what it waits for. One that is gone meanwhile stays as it was."""
    chat = picture.chat
    if not (chat.queued or chat.status is Status.REQUIRES_ACTION):
        return picture
    snapshot = await read_snapshot(db, chat.id, since=NO_HISTORY)
    if snapshot is None:
        return picture
    return replace(picture, chat=snapshot.chat, queue=snapshot.queue or (), waiting_for=snapshot.waiting_for)


def _eyes(asked: Asked[Q, B], seen: Seen, around: Around) -> Eyes:
    return Eyes(
        view=seen.view,
        shows_queue=seen.shows_queue,
        relation=seen.relation,
        around=around,
        titled=asked.server.policy.admins_read_chats is AdminsRead.AUDITED,
    )
