"""What can be watched: one chat, or what changes among the caller's chats."""

from chatd.accounts.relations import read_relation
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import permitted
from chatd.api.chats.streams.stream import (
    Batches,
    Opened,
    OtherView,
    StreamQuery,
    StreamRequest,
    earliest,
)
from chatd.api.router import Asked
from chatd.api.serving.callers.permits import Seen, seen_by
from chatd.domain.ids import Micros
from chatd.domain.people.grants import is_for_everyone
from chatd.domain.people.permit import Sharing
from chatd.errors import BadInput
from chatd.kit.concurrency.bell import Bell
from chatd.live.cursor import known_at
from chatd.live.events import AccessEnded, Batch
from chatd.live.kinds import with_queue
from chatd.live.lists.events import WatchEnded, is_of
from chatd.live.lists.others.others import WatchedBy
from chatd.live.lists.watch import watch_list
from chatd.live.watch import watch
from chatd.storage.reads.read import read_chat


async def chat(asked: Asked[StreamQuery, Nothing], request: StreamRequest) -> Opened:
    seen = await permitted(asked)
    cursor = asked.query.cursor
    if cursor is not None and known_at(seen.chat.id, cursor) is None:
        raise _strange(cursor)
    live = asked.server.live
    shapes = with_queue(live.encoded.shapes(seen.view), shown=seen.shows_queue)
    watched = watch(
        asked.store, live.board, live.clock, seen.chat.id, cursor=cursor, bell=request.bell, shapes=shapes
    )
    return Opened(
        batches=watched,
        ask_again=_MayWatchChat(asked, request, seen).ask,
        farewell=Batch((AccessEnded(chat_id=seen.chat.id, cursor=""),)),
        access=seen.chat.versions.access,
        until=earliest(seen.related.until, asked.known.expires_at),
    )


class _MayWatchChat:
    """Whether a caller may go on to watch a chat as they do now."""

    def __init__(self, asked: Asked[StreamQuery, Nothing], request: StreamRequest, seen: Seen) -> None:
        self._asked = asked
        self._request = request
        self._seen = seen

    async def ask(self, moved: bool) -> Micros | None:  # noqa: FBT001 - as in AskAgain
        caller = await self._request.caller_now()
        db, policy = self._asked.store.db, self._asked.server.policy
        # Whose chat it is tells its row, which is read again only when it says that this may have changed.
        chat = await read_chat(db, self._seen.chat.id) if moved else self._seen.chat
        if chat is None:
            return caller.expires_at  # It is gone, which the stream tells by itself.
        related = await read_relation(db, caller.user, chat, policy)
        seen = seen_by(caller, self._asked.deeds, chat, related, policy)
        if (seen.view, seen.shows_queue) != (self._seen.view, self._seen.shows_queue):
            raise OtherView
        if seen.audited:
            # It may be open for hours.
            await self._asked.server.audited_reads.note_chat(self._asked.by, chat.id)
        self._seen = seen
        return earliest(related.until, caller.expires_at)


async def list_(asked: Asked[StreamQuery, Nothing], request: StreamRequest) -> Opened:
    cursor = asked.query.cursor
    if cursor is not None and not (cursor.isascii() and cursor.isdecimal()):
        raise _strange(cursor)
    since = min(int(cursor), 2**62) if cursor is not None else None

    async def ask_again(_: bool) -> Micros | None:  # noqa: FBT001 - as in AskAgain
        """A list holds what the caller may read."""
        return (await request.caller_now()).expires_at

    return Opened(
        batches=_batches(asked, since, request.bell),
        ask_again=ask_again,
        farewell=Batch((WatchEnded(),)),
        until=asked.known.expires_at,
    )


async def _batches(asked: Asked[StreamQuery, Nothing], since: int | None, bell: Bell) -> Batches:
    family = asked.known.standing.family
    live, policy = asked.server.live, asked.server.policy
    who = WatchedBy(
        user_id=asked.user.id,
        by_name=policy.sharing is not Sharing.OFF,
        by_everyone=is_for_everyone(asked.user.kind, policy),
    )
    async for events in watch_list(asked.store, live.clock, live.others, who, cursor=since, bell=bell):
        yield Batch(tuple(each for each in events if family is None or is_of(each, family)))


def _strange(cursor: str) -> BadInput:
    return BadInput(
        "bad_cursor",
        f"The cursor {cursor[:80]!r} does not come from this stream.",
        field="cursor",
        hint="Use the cursor of the last event, unchanged, or leave it out to start again.",
    )
