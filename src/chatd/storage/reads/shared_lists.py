"""Reading what watchers of lists are told of chats of others: for many users and chats at once.

The facts are those of lists and searches: grants that count now. What each read brings has a bound, which is
the caller's.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, MessageId, Micros, UserId
from chatd.domain.people.grants import GrantKind, GrantRole
from chatd.domain.people.marks import Marks
from chatd.kit.codec import encode_text
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.reads.lists import SharedWith
from chatd.storage.rows import chat_of


class Subject(Struct, frozen=True):
    """To whom something is granted: a user, a group, everyone."""

    kind: GrantKind
    id: str


class GrantedTo(Struct, frozen=True):
    role: GrantRole
    expires_at: Micros | None


class OtherChat(Struct, frozen=True, kw_only=True):
    """A chat as all see it with whom it is shared: whose it is, and to whom it is granted."""

    chat: Chat
    owner_name: str
    owner_display_name: str
    # Of the chats that work for it.
    at_work: int
    grants: Mapping[Subject, GrantedTo]


class Granted(Struct, frozen=True, kw_only=True):
    """That a subject was granted a chat, which has this version."""

    subject: Subject
    chat_id: ChatId
    expires_at: Micros | None
    snapshot: int


class SharedVersion(Struct, frozen=True, kw_only=True):
    """What there is to compare of a chat in the list of somebody with whom it is shared."""

    snapshot: int
    role: GrantRole
    marks: Marks


class Standing(Struct, frozen=True, kw_only=True):
    """What counts for the list of one user beside grants."""

    groups: frozenset[str] = frozenset()
    # How many chats are offered to them.
    offers: int = 0


async def read_standings(db: Database, user_ids: Collection[UserId]) -> dict[UserId, Standing]:
    asked = encode_text(sorted(user_ids))

    async def body(tx: Connection) -> dict[UserId, Standing]:
        groups: dict[str, set[str]] = {}
        for user_id, group_id in await tx.all("groups_of_users", asked):
            groups.setdefault(user_id, set()).add(group_id)
        offers = Counter({row[0]: row[1] for row in await tx.all("offers_to_users", asked)})
        return {
            each: Standing(groups=frozenset(groups.get(each, ())), offers=offers[each]) for each in user_ids
        }

    return await db.read(body)


async def read_granted(
    db: Database, subjects: Collection[Subject], *, after: Granted | None, limit: int
) -> list[Granted]:
    """What these were granted, from a place on; in the order of their ids, kinds and chats."""
    place = (after.subject.id, after.subject.kind.value, after.chat_id) if after is not None else ("", "", "")
    asked = encode_text(sorted({subject.id for subject in subjects}))
    rows = await db.read(
        lambda tx: tx.all("chats_of_subjects", asked, *place, limit), pace=Pace.ONE_LONG_QUERY
    )
    return [
        Granted(
            subject=Subject(GrantKind(kind), subject_id),
            chat_id=ChatId(chat_id),
            expires_at=expires_at,
            snapshot=snapshot,
        )
        for subject_id, kind, chat_id, expires_at, snapshot in rows
    ]


async def read_others(db: Database, chat_ids: Collection[ChatId]) -> dict[ChatId, OtherChat]:
    """Those of these chats that can be in a list of somebody with whom they are shared."""
    asked = encode_text(sorted(chat_ids))

    async def body(tx: Connection) -> dict[ChatId, OtherChat]:
        grants: dict[str, dict[Subject, GrantedTo]] = {}
        for chat_id, kind, subject_id, role, expires_at in await tx.all("grants_of_chats", asked):
            subject = Subject(GrantKind(kind), subject_id)
            grants.setdefault(chat_id, {})[subject] = GrantedTo(GrantRole(role), expires_at)
        chats = [chat_of(row) for row in await tx.all("read_chats", asked)]
        owners = {row[0]: row[1:] for row in await tx.all("owners_of_chats", asked)}
        return {chat.id: _other(chat, owners[chat.id], grants) for chat in chats if _is_listed(chat)}

    return await db.read(body)


def _is_listed(chat: Chat) -> bool:
    return chat.parent_id is None and not chat.temporary


def _other(
    chat: Chat, owner: Sequence[object], grants: Mapping[str, Mapping[Subject, GrantedTo]]
) -> OtherChat:
    name, display_name, at_work = owner
    return OtherChat(
        chat=chat,
        owner_name=str(name),
        owner_display_name=str(display_name),
        at_work=at_work if isinstance(at_work, int) else 0,
        grants=grants.get(chat.id, {}),
    )


async def read_marks_of(
    db: Database, user_ids: Collection[UserId], chat_ids: Collection[ChatId]
) -> dict[tuple[UserId, ChatId], Marks]:
    """Of those who have marked something."""
    asked = encode_text(sorted(user_ids)), encode_text(sorted(chat_ids))
    rows = await db.read(lambda tx: tx.all("marks_of_readers", *asked), pace=Pace.ONE_LONG_QUERY)
    return {
        (UserId(user_id), ChatId(chat_id)): _marks(read_id, pin_order, muted)
        for user_id, chat_id, read_id, pin_order, muted in rows
    }


async def read_shared_versions(db: Database, who: SharedWith, *, limit: int) -> dict[ChatId, SharedVersion]:
    """Of every chat that is shared with a user, up to so many."""
    rows = await db.read(
        lambda tx: tx.all("versions_of_shared", who.user_id, who.everyone, limit), pace=Pace.ONE_LONG_QUERY
    )
    return {
        ChatId(chat_id): SharedVersion(
            snapshot=snapshot,
            role=GrantRole.WRITER if writes else GrantRole.READER,
            marks=_marks(read_id, pin_order, muted),
        )
        for chat_id, snapshot, read_id, pin_order, muted, writes in rows
    }


def in_chunks(things: Collection[UserId], size: int) -> Iterator[list[UserId]]:
    ordered = sorted(things)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def _marks(read_id: int, pin_order: int, muted: object) -> Marks:
    return Marks(read_id=MessageId(read_id), pin_order=pin_order, muted=bool(muted))
