"""Handing a chat over: offer it, accept it, decline it, take the offer back."""

from collections.abc import Callable

from chatd.accounts.sharing.grants import find_person
from chatd.accounts.sharing.handing_over import Keep, Terms, hand_over
from chatd.accounts.sharing.transfers import (
    Offer,
    Wished,
    end_offer,
    offer,
    offers_by,
    offers_to,
    read_offer,
)
from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import permitted
from chatd.api.chats.sharing.bodies import OfferChat, TransferList, TransferView
from chatd.api.chats.showing import show_now
from chatd.api.router import Asked, B, Q
from chatd.api.serving.callers.permits import (
    Seen,
    chat_not_found,
    check_with_chat,
    not_permitted,
    reaches,
    readable,
)
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.audit import AuditDeed
from chatd.domain.people.deeds import Deed
from chatd.domain.people.permit import Relation
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain
from chatd.storage.database import Connection
from chatd.storage.transactions.transact import Admit


async def list_(asked: Asked[Nothing, Nothing]) -> TransferList:
    db, user_id = asked.store.db, asked.user.id
    to, by = await offers_to(db, user_id), await offers_by(db, user_id)
    return TransferList(
        transfers=tuple(_view(each) for each in to if reaches(asked.known, each.chat_id)),
        offered=tuple(_view(each) for each in by if reaches(asked.known, each.chat_id)),
    )


async def show(asked: Asked[Nothing, Nothing]) -> TransferView:
    return await _shown(asked, (await permitted(asked)).chat.id)


async def _shown(asked: Asked[Q, B], chat_id: ChatId) -> TransferView:
    found = await read_offer(asked.store.db, chat_id)
    if found is None:
        raise NotFound("transfer_not_found", "This chat is offered to nobody.")
    return _view(found)


async def add(asked: Asked[Nothing, OfferChat]) -> TransferView:
    """The owner offers. An administrator says why, and then it is done."""
    body, store = asked.body, asked.store
    seen = await permitted(asked)
    if seen.chat.parent_id is not None:
        raise BadInput("not_a_root", "This chat works for another one.", hint=f"Name {seen.chat.parent_id}.")
    to = await find_person(store.db, checks.plain(body.to, "to"))
    if to is None:
        raise NotFound("user_not_found", f"There is no user {body.to!r}.", field="to")
    is_owner = seen.relation is Relation.OWNER
    if is_owner == bool(body.reason):
        raise BadInput(
            "bad_value",
            "An owner offers a chat without a `reason`; an administrator hands it over with one.",
            field="reason",
        )

    def is_still_so(now: Seen) -> bool:
        return (now.relation is Relation.OWNER) is is_owner

    admit = _admit(asked, is_still_so)
    if is_owner:
        await offer(store, seen.chat.id, asked.by, Wished(to.id, body.keep), admit)
        return await _shown(asked, seen.chat.id)
    await hand_over(
        store,
        seen.chat.id,
        _terms(asked, to.id, body.keep),
        by=asked.by,
        deed=AuditDeed.TRANSFER_FORCED,
        admit=admit,
        changes={"reason": body.reason},
    )
    now = rfc3339(asked.server.live.clock.now_micros())
    return TransferView(
        chat_id=seen.chat.id,
        title="",
        to_id=to.id,
        to_name=to.name,
        by_id=seen.chat.owner_id,
        by_name="",
        keep=body.keep,
        made_at=now,
        expires_at=None,
        done=True,
    )


async def accept(asked: Asked[Nothing, Nothing]) -> bodies.ChatView:
    found = await _offered(asked)
    await hand_over(
        asked.store,
        found.chat_id,
        _terms(asked, found.to_id, found.keep),
        by=asked.by,
        deed=AuditDeed.TRANSFER_ACCEPTED,
        admit=_as_offered(asked, found),
    )
    seen = await readable(asked.known, asked.store.db, found.chat_id, asked.server.policy)
    view = await show_now(asked, seen) if seen is not None else None
    if view is None:
        raise chat_not_found(found.chat_id)
    return view


async def decline(asked: Asked[Nothing, Nothing]) -> None:
    found = await _offered(asked)
    await end_offer(
        asked.store, found.chat_id, asked.by, AuditDeed.TRANSFER_DECLINED, _as_offered(asked, found)
    )


async def withdraw(asked: Asked[Nothing, Nothing]) -> None:
    seen = await permitted(asked)
    if await read_offer(asked.store.db, seen.chat.id) is None:
        raise NotFound("transfer_not_found", "This chat is offered to nobody.")
    await end_offer(
        asked.store, seen.chat.id, asked.by, AuditDeed.TRANSFER_WITHDRAWN, _admit(asked, lambda _: True)
    )


async def _offered(asked: Asked[Nothing, Nothing]) -> Offer:
    """What is offered to the caller. To anybody else the chat is what it is to them."""
    chat_id = ChatId(asked.path["chat_id"])
    found = await read_offer(asked.store.db, chat_id) if is_plain(chat_id) else None
    if found is None or found.to_id != asked.user.id or not reaches(asked.known, chat_id):
        await permitted(asked)
        raise NotAllowed("no_offer", "This chat is not offered to you.")
    return found


def _terms(asked: Asked[Q, B], to: UserId, keep: Keep) -> Terms:
    return Terms(to=to, keep=keep, workspace_shared=asked.server.places.shared)


def _as_offered(asked: Asked[Q, B], known: Offer) -> Admit:
    """Under the lock it must still be the same offer."""

    async def admit(tx: Connection, locked: LockedChat) -> None:
        row = await tx.one("transfer_of", known.chat_id)
        if row is None or (row[1], row[3]) != (asked.user.id, known.keep) or row[2] != locked.chat.owner_id:
            raise NotAllowed("no_offer", "This chat is not offered to you any more.")

    return admit


def _admit(asked: Asked[Q, B], holds: Callable[[Seen], bool]) -> Admit:
    async def admit(tx: Connection, locked: LockedChat) -> None:
        seen = await check_with_chat(tx, asked.known, asked.deeds, locked.chat, asked.server.policy)
        if not holds(seen):
            raise not_permitted(Deed.CHAT_TRANSFER)

    return admit


def _view(found: Offer) -> TransferView:
    return TransferView(
        chat_id=found.chat_id,
        title=found.title,
        to_id=found.to_id,
        to_name=found.to_name,
        by_id=found.by_id,
        by_name=found.by_name,
        keep=found.keep,
        made_at=rfc3339(found.made_at),
        expires_at=rfc3339(found.expires_at),
    )
