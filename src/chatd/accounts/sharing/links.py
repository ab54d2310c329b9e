"""Public links of chats. One is written, and viewers are told of it, in one transaction."""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from chatd.accounts.tokens.tokens import hash_of
from chatd.domain.chat import Chat
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import BranchId, ChatId, MessageId, Micros, UserId
from chatd.domain.people.audit import AskedBy, AuditDeed, Changes, changes_between, chat_note
from chatd.domain.people.links import (
    DAY_MICROS,
    LINK_DAYS,
    LINKS_MAX,
    Included,
    PublicLink,
    UpTo,
    widens,
)
from chatd.domain.transitions.chat.change_access import ChangeAccess
from chatd.errors import BadInput, LimitReached, NotFound
from chatd.kit.codec import Decoder, encode_text
from chatd.kit.ids import new_id
from chatd.storage.database import Connection, Database, Row
from chatd.storage.tables.audit import record
from chatd.storage.transactions.transact import Store, transact

CODE_BYTES = 32

_included: Decoder[frozenset[Included]] = Decoder(frozenset[Included])


class LinkWish(Struct, frozen=True, kw_only=True):
    """What a link is to be."""

    days: int = LINK_DAYS
    live: bool = False
    include: frozenset[Included] = frozenset()


class LinkChange(Struct, frozen=True, kw_only=True):
    """What is not named stays as it is. Days are counted from now on."""

    days: int | UnsetType = UNSET
    live: bool | UnsetType = UNSET
    include: frozenset[Included] | UnsetType = UNSET


# Raises when the caller may not do this to this chat, which is locked. `before`: the link as it is, if it is
# there; `wider`: whether guests would see more.
AdmitLink: TypeAlias = Callable[[Connection, Chat, PublicLink | None, bool], Awaitable[None]]


async def list_links(db: Database, root_id: ChatId) -> Sequence[PublicLink]:
    """Those that count, in the order in which they were made."""
    return [link_of(row) for row in await db.read(lambda tx: tx.all("links_of_chat", root_id))]


async def make_link(
    store: Store, root_id: ChatId, by: AskedBy, wish: LinkWish, admit: AdmitLink
) -> tuple[str, PublicLink]:
    """The code, which is kept nowhere, and the link. Raises BadInput and LimitReached."""
    code, link_id = secrets.token_urlsafe(CODE_BYTES), new_id()
    made: list[PublicLink] = []

    async def save(tx: Connection, locked: LockedChat) -> None:
        chat = locked.chat
        await admit(tx, chat, None, True)  # noqa: FBT003 - a new one is wider than none
        _check(chat)
        await tx.run("delete_ended_links", root_id)
        count = await tx.one("count_links", root_id)
        if count is not None and count[0] >= LINKS_MAX:
            raise LimitReached(
                "too_many_links",
                f"This chat has {LINKS_MAX} public links, as many as it may have.",
                limit=LINKS_MAX,
                hint="End one of them first.",
            )
        link = PublicLink(
            id=link_id,
            chat_id=root_id,
            made_by=by.on_behalf_of or by.actor_id or UserId(""),
            made_at=locked.now,
            expires_at=_end(locked.now, wish.days),
            include=wish.include,
            up_to=None if wish.live else _now(chat),
        )
        await tx.run(
            "insert_link",
            link.id,
            hash_of(code),
            link.chat_id,
            link.made_by,
            link.made_at,
            *_changeable(link),
        )
        await _record(tx, by, AuditDeed.LINK_CREATED, link, _told(link))
        made.append(link)

    await transact(store, root_id, ChangeAccess(), admit=save)
    return code, made[-1]


async def change_link(
    store: Store, root_id: ChatId, by: AskedBy, link_id: str, change: LinkChange, *, admit: AdmitLink
) -> PublicLink:
    """Raises NotFound."""
    changed: list[PublicLink] = []

    async def save(tx: Connection, locked: LockedChat) -> None:
        before = await _link(tx, root_id, link_id)
        after = _changed(before, change, locked) if before is not None else None
        wider = before is not None and after is not None and widens(before, after)
        await admit(tx, locked.chat, before, wider)
        if before is None or after is None:
            raise link_not_found(link_id)
        await tx.run("change_link", after.id, *_changeable(after))
        await _record(tx, by, AuditDeed.LINK_CHANGED, after, changes_between(_told(before), _told(after)))
        changed.append(after)

    await transact(store, root_id, ChangeAccess(), admit=save)
    return changed[-1]


async def revoke_link(store: Store, root_id: ChatId, by: AskedBy, link_id: str, admit: AdmitLink) -> None:
    """Raises NotFound."""

    async def save(tx: Connection, locked: LockedChat) -> None:
        before = await _link(tx, root_id, link_id)
        await admit(tx, locked.chat, before, False)  # noqa: FBT003 - what is ended is not wider
        if before is None:
            raise link_not_found(link_id)
        await _revoke(tx, by, before)

    await transact(store, root_id, ChangeAccess(), admit=save)


async def revoke_links_of(tx: Connection, root_id: ChatId, by: AskedBy) -> None:
    """In the transaction that gives the chat another owner: they have promised nobody anything."""
    for row in await tx.all("links_of_chat", root_id):
        await _revoke(tx, by, link_of(row))


def link_not_found(link_id: str) -> NotFound:
    return NotFound("link_not_found", f"This chat has no public link {link_id!r}.", field="link_id")


async def _revoke(tx: Connection, by: AskedBy, link: PublicLink) -> None:
    await tx.run("revoke_link", link.id)
    await _record(tx, by, AuditDeed.LINK_REVOKED, link, {"opened": link.opened})


async def _record(tx: Connection, by: AskedBy, deed: AuditDeed, link: PublicLink, changes: Changes) -> None:
    note = chat_note(by, deed, link.chat_id, {"link_id": link.id, **changes})
    await record(tx, note.by, note.entry)


async def _link(tx: Connection, root_id: ChatId, link_id: str) -> PublicLink | None:
    row = await tx.one("link_of_chat", root_id, link_id)
    return link_of(row) if row is not None else None


def _check(chat: Chat) -> None:
    if chat.parent_id is not None:
        raise BadInput(
            "not_a_root", "This chat works for another one.", hint=f"Make a link of {chat.parent_id}."
        )
    if chat.archived:
        raise BadInput(
            "archived",
            "This chat is in the archive, where public links do not count.",
            hint="Take it out first.",
        )


def _changed(before: PublicLink, change: LinkChange, locked: LockedChat) -> PublicLink:
    """One that follows on no more ends with what is there now."""
    up_to = before.up_to
    if change.live is not UNSET and change.live is not before.is_live:
        up_to = None if change.live else _now(locked.chat)
    return replace(
        before,
        up_to=up_to,
        expires_at=before.expires_at if change.days is UNSET else _end(locked.now, change.days),
        include=before.include if change.include is UNSET else change.include,
    )


def _now(chat: Chat) -> UpTo:
    """All numbers up to the last were given by now, and none of them to what will be said."""
    return UpTo(MessageId(chat.last_number), chat.branch)


def _end(now: Micros, days: int) -> Micros:
    return Micros(now + days * DAY_MICROS)


def _told(link: PublicLink) -> dict[str, object]:
    return {"expires_at": link.expires_at, "live": link.is_live, "include": sorted(link.include)}


def _changeable(link: PublicLink) -> tuple[object, ...]:
    """The columns of which a change is made, in their order."""
    up_to = (link.up_to.message_id, link.up_to.branch) if link.up_to is not None else (None, None)
    return (link.expires_at, encode_text(sorted(link.include)), *up_to)


def link_of(row: Row) -> PublicLink:
    id_, chat_id, made_by, made_at, expires_at, include, up_to_id, branch, opened = row
    return PublicLink(
        id=id_,
        chat_id=ChatId(chat_id),
        made_by=UserId(made_by),
        made_at=made_at,
        expires_at=expires_at,
        include=_included.decode(include),
        up_to=UpTo(MessageId(up_to_id), BranchId(branch)) if up_to_id is not None else None,
        opened=opened,
    )
