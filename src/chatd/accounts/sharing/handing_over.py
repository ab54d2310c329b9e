"""Handing a family of chats over to another user: all of it, or nothing."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from chatd.accounts.sharing.links import revoke_links_of
from chatd.accounts.sharing.marks import read_marks, save_marks
from chatd.accounts.users import is_only_user_in, profile_in
from chatd.domain.chat import Chat
from chatd.domain.decision.change import NewOwner
from chatd.domain.decision.locked import LockedChat
from chatd.domain.decision.turns import AT_REST
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.audit import NO_CHANGES, AskedBy, AuditDeed, Changes, chat_note
from chatd.domain.people.grants import GrantKind
from chatd.domain.people.leaving import Receiver, may_receive
from chatd.domain.people.marks import Marks
from chatd.domain.transitions import Command
from chatd.domain.transitions.chat.change_access import ChangeAccess
from chatd.errors import NotAllowed
from chatd.hints.hint import ChildChanged
from chatd.storage.database import Connection
from chatd.storage.transactions.transact import Admit, Store, transact_family


class Keep(StrEnum):
    """What the owner of before may do afterwards."""

    WRITER = "writer"
    READER = "reader"
    NOTHING = "nothing"


class Terms(Struct, frozen=True, kw_only=True):
    """To whom a family is handed over, and how."""

    to: UserId
    keep: Keep = Keep.NOTHING
    # Whether the workspace of the server is for all users.
    workspace_shared: bool = False


async def hand_over(
    store: Store,
    root_id: ChatId,
    terms: Terms,
    *,
    by: AskedBy,
    deed: AuditDeed,
    admit: Admit | None = None,
    changes: Changes = NO_CHANGES,
) -> None:
    """Files that are attached only here go along; a workspace does if it is for all users, or the new owner
    is the only one. Raises NotFound; NotAllowed when an agent works in the family, or when the user cannot
    have it; and what `admit` raises, under the lock of the root.
    """
    to, keep = terms.to, terms.keep
    commands: dict[ChatId, Sequence[Command]] = {}
    before: set[UserId] = set()

    async def beside(tx: Connection, family: Sequence[LockedChat]) -> None:
        root = family[0].chat
        if admit is not None:
            await admit(tx, family[0])
        _check_at_rest(family)
        await check_receiver(tx, to, root)
        before.add(root.owner_id)
        await _let_keep(tx, root, keep, made_by=by.on_behalf_of or by.actor_id or to)
        detaches = not terms.workspace_shared and not await is_only_user_in(tx)
        for locked in family:
            owner = await _owner(tx, to, locked.chat)
            commands[locked.chat.id] = (ChangeAccess(new_owner=owner, detaches=detaches),)
            # They are indexed anew, for who looks for them now.
            await tx.run("delete_words_of_chat", locked.chat.id)
            await tx.run("forget_words_of_leaver", locked.chat.id)
        await tx.all("delete_grant", root_id, GrantKind.USER.value, to)
        await tx.run("forget_offer_of_leaver", root_id)
        await revoke_links_of(tx, root_id, by)
        await tx.run("hand_files_of_leaver_over", root_id, root.owner_id, to)

    note = chat_note(by, deed, root_id, {"to": to, "keep": keep, **changes})
    await transact_family(store, root_id, lambda _: commands, beside=beside, note=note)
    # The list of the one does not have it any more, nor the other an offer of it.
    for user_id in {*before, to}:
        store.hints.publish(ChildChanged(chat_id=root_id, owner_id=user_id))


async def _let_keep(tx: Connection, root: Chat, keep: Keep, *, made_by: UserId) -> None:
    """Who owned it reads or writes it, with the marks that they had; or has nothing to do with it."""
    if keep is Keep.NOTHING:
        await tx.run("delete_marks", root.owner_id, root.id)
        return
    await tx.run("save_grant", root.id, GrantKind.USER.value, root.owner_id, keep.value, made_by, None)
    muted = (await read_marks(tx, root.owner_id, root.id)).muted
    marks = Marks(read_id=root.read_id, pin_order=root.pin_order, muted=muted)
    await save_marks(tx, root.owner_id, root.id, marks)


def _check_at_rest(family: Sequence[LockedChat]) -> None:
    """What an agent does, it does for one owner."""
    for member in (locked.chat for locked in family):
        if member.status not in AT_REST:
            raise NotAllowed(
                "busy",
                f"Cannot hand over now: {member.title!r} is {member.situation.in_words()}.",
                hint="Interrupt the chat first; that stops what works for it as well.",
            )


async def _owner(tx: Connection, to: UserId, chat: Chat) -> NewOwner:
    """What they have marked in it as a reader, they have marked as its owner."""
    marks = await read_marks(tx, to, chat.id)
    await tx.run("delete_marks", to, chat.id)
    is_pinned = not chat.archived and chat.parent_id is None
    return NewOwner(id=to, read_id=marks.read_id, pin_order=marks.pin_order if is_pinned else 0)


async def check_receiver(tx: Connection, to: UserId, chat: Chat) -> None:
    """Raises NotAllowed."""
    row = await tx.one("user_profile", to)
    profile = profile_in(row) if row is not None else None
    if profile is not None and profile.deleted_at is None and to != chat.owner_id:
        receiver = Receiver(
            kind=profile.user.kind,
            role=profile.user.role,
            suspended=profile.suspended_at is not None,
            service_id=profile.user.service_id,
        )
        if may_receive(receiver, leaver_service=chat.service_id):
            return
    raise NotAllowed("cannot_receive", f"The user {to!r} cannot have this chat now.")
