"""Offers to hand a chat over: made, declined, withdrawn. What is accepted is done by `handing_over.py`."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from chatd.accounts.lives.lives import DAY_MICROS
from chatd.accounts.sharing.handing_over import Keep, check_receiver
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.people.audit import AskedBy, AuditDeed, chat_note
from chatd.hints.hint import ChildChanged
from chatd.storage.database import Connection, Database, Row
from chatd.storage.transactions.transact import Admit, Store, transact_family

OFFER_MICROS = 14 * DAY_MICROS
# Of one user's list.
OFFERS_MAX = 100


class Offer(Struct, frozen=True, kw_only=True):
    chat_id: ChatId
    to_id: UserId
    by_id: UserId
    keep: Keep
    made_at: Micros
    expires_at: Micros
    title: str
    to_name: str
    by_name: str


async def read_offer(db: Database, chat_id: ChatId) -> Offer | None:
    row = await db.read(lambda tx: tx.one("transfer_of", chat_id))
    return _offer(row) if row is not None else None


async def offers_to(db: Database, user_id: UserId) -> list[Offer]:
    """What is offered to a user, the oldest first."""
    return [_offer(row) for row in await db.read(lambda tx: tx.all("transfers_to", user_id, OFFERS_MAX))]


async def offers_by(db: Database, user_id: UserId) -> list[Offer]:
    """What a user offers to others, the oldest first."""
    return [_offer(row) for row in await db.read(lambda tx: tx.all("transfers_by", user_id, OFFERS_MAX))]


class Wished(Struct, frozen=True):
    """Who is to have a chat, and what its owner keeps."""

    to_id: UserId
    keep: Keep


async def offer(store: Store, chat_id: ChatId, by: AskedBy, wished: Wished, admit: Admit) -> None:
    """Instead of an earlier offer. Raises NotAllowed when they cannot have it."""
    concerned = {wished.to_id}

    async def beside(tx: Connection, locked: Sequence[LockedChat]) -> None:
        await admit(tx, locked[0])
        root = locked[0].chat
        await check_receiver(tx, wished.to_id, root)
        concerned.update(await _offered_to(tx, chat_id))
        row = (chat_id, wished.to_id, root.owner_id, wished.keep.value, OFFER_MICROS)
        await tx.run("save_transfer", *row)

    note = chat_note(by, AuditDeed.TRANSFER_OFFERED, chat_id, {"to": wished.to_id, "keep": wished.keep})
    await transact_family(store, chat_id, lambda _: {}, beside=beside, note=note)
    _tell(store, chat_id, concerned)


async def end_offer(store: Store, chat_id: ChatId, by: AskedBy, deed: AuditDeed, admit: Admit) -> None:
    """It is declined or withdrawn."""
    concerned: set[UserId] = set()

    async def beside(tx: Connection, locked: Sequence[LockedChat]) -> None:
        await admit(tx, locked[0])
        concerned.update(await _offered_to(tx, chat_id))
        await tx.run("delete_transfer", chat_id)

    await transact_family(store, chat_id, lambda _: {}, beside=beside, note=chat_note(by, deed, chat_id))
    _tell(store, chat_id, concerned)


async def _offered_to(tx: Connection, chat_id: ChatId) -> list[UserId]:
    row = await tx.one("transfer_of", chat_id)
    return [_offer(row).to_id] if row is not None else []


def _tell(store: Store, chat_id: ChatId, users: Iterable[UserId]) -> None:
    """Those to whom it is offered, or is no more."""
    for user_id in users:
        store.hints.publish(ChildChanged(chat_id=chat_id, owner_id=user_id))


def _offer(row: Row) -> Offer:
    chat_id, to_id, by_id, keep, made_at, expires_at, title, to_name, by_name = row
    return Offer(
        chat_id=chat_id,
        to_id=to_id,
        by_id=by_id,
        keep=Keep(keep),
        made_at=made_at,
        expires_at=expires_at,
        title=title,
        to_name=to_name,
        by_name=by_name or "",
    )
