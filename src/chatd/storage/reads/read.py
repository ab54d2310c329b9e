"""Reading: snapshots for viewers, histories for prompts, lists and pages for people.

Each function reads one consistent snapshot and holds no lock. Model-only messages and the
`internal` column never leave here towards a person.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from chatd.domain.approvals.rule import KeptRule
from chatd.domain.branch import Branch
from chatd.domain.call import Call, awaits_action
from chatd.domain.chat import Chat, Status
from chatd.domain.ids import BranchId, ChatId, MessageId, Micros, UserId
from chatd.domain.limits import CHILDREN_MAX, TEMPORARY_MICROS
from chatd.domain.message import Message, Queued
from chatd.domain.setup import Setup
from chatd.domain.usage.charge import Charge
from chatd.domain.workspace.context import Resource
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.reads.around import Around, chat_and_around
from chatd.storage.reads.authors import Author, authors_of, names_in
from chatd.storage.reads.chunks import (
    LAST_ID,
    OPENING,
    Chunk,
    HistoryPlace,
    Opening,
    changed_after,
    newest,
    opening_after,
)
from chatd.storage.reads.contexts import resources_in
from chatd.storage.rows import branch_of, call_of, charge_of, chat_of, message_of, queued_of, setup_of
from chatd.storage.tables.rules import chat_rules

# Chats of a list that are read in a moment.
QUICK_PAGE_MAX = 50
# Older than any revision.
KNOWS_NOTHING = -1


class Tombstone(Struct, frozen=True):
    """A message that has left the history, and when."""

    revision: int
    id: MessageId


class Snapshot(Struct, frozen=True, kw_only=True):
    """A chat as a viewer needs it: what changed after what they know, or the beginning of it.

    `queue` is None when it has not changed either.
    """

    chat: Chat
    # Of what was there when they came: what they were not told yet, oldest first.
    opened: tuple[Message, ...] = ()
    messages: tuple[Message, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    queue: tuple[Queued, ...] | None
    waiting_for: tuple[Call, ...]
    # There are messages before the opened ones, which a viewer need not be told...
    older: bool = False
    # ...and some after these that they have to learn too.
    more_opened: bool = False
    more_changed: bool = False

    @property
    def more(self) -> bool:
        return self.more_opened or self.more_changed

    @property
    def deleted(self) -> tuple[MessageId, ...]:
        return tuple(tombstone.id for tombstone in self.tombstones)


class History(Struct, frozen=True, kw_only=True):
    """What a prompt is made of: the messages that changed after a revision, and the removed ones."""

    # The newest revision of the history, which these messages are part of.
    version: int
    messages: tuple[Message, ...]
    deleted: tuple[MessageId, ...]


class Place(Struct, frozen=True, array_like=True):
    """Where a page of chats ended: the sort key of its last row."""

    unpinned: bool = False
    pin_order: int = -1
    newest_first: int = 0
    chat_id: str = ""


class ExpiredPlace(Struct, frozen=True):
    """A temporary chat in the order in which they are removed."""

    rests_since: Micros
    chat_id: ChatId


FIRST_EXPIRED = ExpiredPlace(Micros(0), ChatId(""))


class Page(Struct, frozen=True):
    chats: tuple[Chat, ...]
    next: Place | None
    # Where it was read with them: what is around each of these chats.
    around: Mapping[ChatId, Around] | None = None


class MessagesPage(Struct, frozen=True, kw_only=True):
    """A page of a history and, from the same snapshot, the queue behind it."""

    messages: tuple[Message, ...]
    has_more: bool
    queue: tuple[Queued, ...]
    # Those without a result.
    open_calls: tuple[Call, ...] = ()


class UsedKey(Struct, frozen=True, kw_only=True):
    """What a message was sent with. The number is its own, or that of its place in the queue."""

    digest: str
    number: int
    created_at: Micros


class Keyed(Struct, frozen=True, kw_only=True):
    """Where a message with a key is now. Neither: it was taken out of the queue."""

    message: Message | None
    queued: Queued | None


class Export(Struct, frozen=True, kw_only=True):
    """A chat as people see it, from its first message to its last."""

    chat: Chat
    setup: Setup
    messages: tuple[Message, ...]
    # Whoever wrote them, if that was not the owner alone.
    authors: tuple[Author, ...] = ()


class Everything(Struct, frozen=True, kw_only=True):
    """All that is stored of one chat, for `chatd show` and for tests."""

    chat: Chat
    setup: Setup
    queue: tuple[Queued, ...]
    calls: tuple[Call, ...]
    messages: tuple[Message, ...]
    branches: tuple[Branch, ...]
    files: tuple[str, ...]
    charges: tuple[Charge, ...] = ()
    rules: tuple[KeptRule, ...] = ()
    # What it is told of its workspace, without the texts.
    resources: tuple[Resource, ...] = ()
    # The chats that work for it.
    children: tuple[Chat, ...] = ()
    # Whoever wrote its messages, if that was not the owner alone.
    authors: tuple[Author, ...] = ()


async def read_chat(db: Database, chat_id: ChatId) -> Chat | None:
    return await db.read(lambda tx: _chat(tx, chat_id), pace=Pace.ONE_QUERY)


async def read_chat_of_key(db: Database, owner_id: UserId, key: str) -> tuple[str, Chat] | None:
    """The owner's chat of this key, and the check sum of the request that made it."""

    async def body(tx: Connection) -> tuple[str, Chat] | None:
        row = await tx.one("chat_of_key", owner_id, key)
        return (row[0], chat_of(row[1:])) if row is not None else None

    return await db.read(body, pace=Pace.ONE_QUERY)


async def read_message_key(db: Database, chat_id: ChatId, key: str) -> UsedKey | None:
    async def body(tx: Connection) -> UsedKey | None:
        row = await tx.one("read_message_key", chat_id, key)
        return UsedKey(digest=row[0], number=row[1], created_at=row[2]) if row is not None else None

    return await db.read(body, pace=Pace.ONE_QUERY)


async def read_message_of_key(db: Database, chat_id: ChatId, key: str) -> Keyed:
    """In the history, also in a branch that was left, or in the queue."""

    async def body(tx: Connection) -> Keyed:
        said = await tx.one("message_of_key", chat_id, key)
        queued = await tx.one("queued_of_key", chat_id, key) if said is None else None
        return Keyed(
            message=message_of(said) if said is not None else None,
            queued=queued_of(queued) if queued is not None else None,
        )

    return await db.read(body)


async def read_list(db: Database, owner_id: UserId, *, limit: int) -> dict[ChatId, int]:
    """The snapshot version of each chat in a user's list, in the archive and outside."""

    async def body(tx: Connection) -> dict[ChatId, int]:
        return {ChatId(row[0]): int(row[1]) for row in await tx.all("snapshots_of_list", owner_id, limit)}

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def read_chats(db: Database, chat_ids: Sequence[ChatId]) -> list[Chat]:
    """Those of these chats that exist, in any order."""

    async def body(tx: Connection) -> list[Chat]:
        return [chat_of(row) for row in await tx.all("read_chats", encode_text(chat_ids))]

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def read_snapshot(
    db: Database,
    chat_id: ChatId,
    *,
    since: int = KNOWS_NOTHING,
    place: HistoryPlace = (0, 0, 0),
    queue_since: int = -1,
    pace: Pace = Pace.USUAL,
    opening: Opening = newest,
) -> Snapshot | None:
    """What a viewer has to learn who knows the history up to `since`, and beyond it up to `place`.

    At most a chunk of it; of one who knows nothing, `opening` says which. None: there is no such chat.
    """

    async def body(tx: Connection) -> Snapshot | None:
        chat = await _chat(tx, chat_id)
        if chat is None:
            return None
        opened, changed = await _chunks(tx, chat, since, place, opening)
        queue = await _queue(tx, chat) if chat.versions.queue > queue_since else None
        waiting = await _open_calls(tx, chat) if chat.status is Status.REQUIRES_ACTION else ()
        begins = since == KNOWS_NOTHING
        return Snapshot(
            chat=chat,
            opened=opened.messages,
            messages=tuple(m for m in changed.messages if not m.deleted),
            tombstones=tuple(Tombstone(m.revision, m.id) for m in changed.messages if m.deleted),
            queue=queue,
            waiting_for=tuple(call for call in waiting if awaits_action(call)),
            older=begins and opened.more,
            more_opened=opened.more and not begins,
            more_changed=changed.more,
        )

    return await db.read(body, pace=pace)


async def _chunks(
    tx: Connection, chat: Chat, since: int, place: HistoryPlace, opening: Opening
) -> tuple[Chunk, Chunk]:
    """The next part of what was there when a viewer came, and then of what has changed since."""
    if since == KNOWS_NOTHING:
        return await opening(tx, chat.id), Chunk()
    opened = Chunk()
    if place[1] == OPENING:
        opened = await opening_after(tx, chat.id, MessageId(place[2]), since)
    if opened.more or chat.versions.history <= since:
        return opened, Chunk()
    return opened, await changed_after(tx, chat.id, since, place)


async def read_history(db: Database, chat_id: ChatId, *, since: int = 0) -> History | None:
    """What the model has to be told, beyond what a runner already knows up to `since`."""

    async def body(tx: Connection) -> History | None:
        rows = await tx.all("history_since", chat_id, since)
        if not rows:
            return None
        changed = [message_of(columns) for _, *columns in rows if columns[0] is not None]
        return History(
            version=rows[0][0],
            messages=tuple(m for m in changed if not m.deleted),
            deleted=tuple(m.id for m in changed if m.deleted) if since else (),
        )

    return await db.read(body, pace=Pace.ONE_QUERY if since else Pace.ONE_LONG_QUERY)


async def list_chats(
    db: Database,
    owner_id: UserId,
    *,
    archived: bool,
    title: str = "",
    labels: Mapping[str, str] | None = None,
    unread: bool | None = None,
    after: Place | None = None,
    limit: int,
) -> Page:
    """One page of a user's chats, pinned ones first, then the newest. `title` is any part of it.

    `unread`: only those with something unread, or only the others.
    """
    place = after or Place()

    async def body(tx: Connection) -> Page:
        rows = await tx.all(
            "list_chats",
            owner_id,
            archived,
            title_pattern(title),
            encode_text(labels or {}),
            place.unpinned,
            place.pin_order,
            place.newest_first,
            place.chat_id,
            limit + 1,
            unread,
        )
        found = [chat_and_around(row, owner_id) for row in rows[:limit]]
        chats = tuple(chat for chat, _ in found)
        more = place_of(chats[-1]) if len(rows) > limit else None
        return Page(chats, more, {chat.id: around for chat, around in found})

    # The first rows of an index, or else perhaps a look at all chats of the user.
    is_quick = not (title or labels or after) and unread is None and limit <= QUICK_PAGE_MAX
    return await db.read(body, pace=Pace.ONE_QUERY if is_quick else Pace.ONE_LONG_QUERY)


async def list_messages(
    db: Database,
    chat_id: ChatId,
    *,
    before: MessageId = LAST_ID,
    after: MessageId | None = None,
    branch: BranchId | None = None,
    with_queue: bool = False,
    with_calls: bool = False,
    limit: int,
) -> MessagesPage:
    """One page of what people see, and whether there is more.

    Newest first; but oldest first when only `after` is given, so that a client that follows a chat
    leaves no gap. `branch` reads a branch that an edit has left.
    """
    upwards = after is not None and before == LAST_ID
    line = (branch,) if branch is not None else ()
    prefix = "branch_" if branch is not None else ""
    bounds = (after,) if upwards else (before, after or MessageId(0))
    query = prefix + ("messages_after" if upwards else "messages_before")

    async def body(tx: Connection) -> MessagesPage:
        rows = await tx.all(query, chat_id, *line, *bounds, limit + 1)
        return MessagesPage(
            messages=tuple(message_of(row) for row in rows[:limit]),
            has_more=len(rows) > limit,
            queue=tuple(queued_of(row) for row in await tx.all("read_queue", chat_id)) if with_queue else (),
            open_calls=tuple(map(call_of, await tx.all("open_calls", chat_id))) if with_calls else (),
        )

    return await db.read(body)


async def list_prompts(db: Database, chat_id: ChatId, *, limit: int) -> tuple[Message, ...]:
    """What people said in the active history, newest first."""

    async def body(tx: Connection) -> tuple[Message, ...]:
        return tuple(message_of(row) for row in await tx.all("list_prompts", chat_id, limit))

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def read_export(db: Database, chat_id: ChatId) -> Export | None:
    async def body(tx: Connection) -> Export | None:
        chat = await _chat(tx, chat_id)
        if chat is None:
            return None
        rows = [message_of(row) for row in await tx.all("messages_after", chat_id, 0, LAST_ID)]
        # A summary is for the model; what it sums up is here.
        return Export(
            chat=chat,
            setup=setup_of(await tx.one("read_setup", chat_id)),
            messages=tuple(m for m in rows if not m.compressed),
            authors=await names_in(tx, authors_of(chat.owner_id, rows)),
        )

    return await db.read(body)


async def chats_beginning_with(db: Database, prefix: str, *, limit: int) -> tuple[ChatId, ...]:
    """The ids that begin like this, for operators."""

    async def body(tx: Connection) -> tuple[ChatId, ...]:
        return tuple(ChatId(row[0]) for row in await tx.all("chats_beginning_with", prefix, limit))

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def expired_chats(
    db: Database, *, after: ExpiredPlace = FIRST_EXPIRED, limit: int
) -> list[ExpiredPlace]:
    """Temporary chats that may be removed by now, the oldest first, after one of them."""

    async def body(tx: Connection) -> list[ExpiredPlace]:
        rows = await tx.all("expired_chats", TEMPORARY_MICROS, after.rests_since, after.chat_id, limit)
        return [ExpiredPlace(*row) for row in rows]

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def list_branches(db: Database, chat_id: ChatId) -> tuple[Branch, ...]:
    """The branches that edits have started. The first one is not among them: it has no row."""

    async def body(tx: Connection) -> tuple[Branch, ...]:
        return tuple(branch_of(row) for row in await tx.all("list_branches", chat_id))

    return await db.read(body, pace=Pace.ONE_LONG_QUERY)


async def read_setup(db: Database, chat_id: ChatId) -> Setup:
    """What the chat is set up with; with nothing when it is gone."""

    async def body(tx: Connection) -> Setup:
        return setup_of(await tx.one("read_setup", chat_id))

    return await db.read(body, pace=Pace.ONE_QUERY)


async def read_everything(db: Database, chat_id: ChatId) -> Everything | None:
    async def body(tx: Connection) -> Everything | None:
        chat = await _chat(tx, chat_id)
        if chat is None:
            return None
        queue = tuple(queued_of(row) for row in await tx.all("read_queue", chat_id))
        messages = tuple(message_of(row) for row in await tx.all("all_messages", chat_id))
        return Everything(
            chat=chat,
            setup=setup_of(await tx.one("read_setup", chat_id)),
            queue=queue,
            calls=tuple(call_of(row) for row in await tx.all("all_calls", chat_id)),
            messages=messages,
            branches=tuple(branch_of(row) for row in await tx.all("list_branches", chat_id)),
            files=tuple(row[0] for row in await tx.all("linked_files", chat_id)),
            charges=tuple(charge_of(row) for row in await tx.all("charges_of_chat", chat_id)),
            rules=await chat_rules(tx, chat_id),
            resources=await resources_in(tx, chat_id),
            children=tuple(chat_of(row) for row in await tx.all("children_of", chat_id, CHILDREN_MAX)),
            authors=await names_in(tx, authors_of(chat.owner_id, messages, queue)),
        )

    return await db.read(body)


def place_of(chat: Chat) -> Place:
    return Place(chat.pin_order == 0, chat.pin_order, -chat.updated_at, chat.id)


async def _chat(tx: Connection, chat_id: ChatId) -> Chat | None:
    row = await tx.one("read_chat", chat_id)
    return chat_of(row) if row is not None else None


async def _queue(tx: Connection, chat: Chat) -> tuple[Queued, ...]:
    return tuple(queued_of(row) for row in await tx.all("read_queue", chat.id)) if chat.queued else ()


async def _open_calls(tx: Connection, chat: Chat) -> tuple[Call, ...]:
    return tuple(call_of(row) for row in await tx.all("open_calls", chat.id))


def title_pattern(part: str) -> str:
    """Titles with this part, for LIKE, without its wildcards."""
    literal = part.casefold().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{literal}%"
