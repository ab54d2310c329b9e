"""With whom chats are shared. A grant and what tells viewers of it are one transaction."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from msgspec import Struct, to_builtins

from chatd.accounts.users import User, user_of
from chatd.domain import family
from chatd.domain.chat import Chat
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import ChatId, Micros
from chatd.domain.people.audit import AskedBy, AuditDeed, chat_note
from chatd.domain.people.grants import ALL, GRANTS_MAX, Grant, GrantKind, GrantRole, widens
from chatd.domain.people.roles import UserKind
from chatd.errors import BadInput, LimitReached, NotFound
from chatd.storage.database import Connection, Database, Row
from chatd.storage.transactions.transact import Store, transact_family

_MEANT = {GrantKind.USER: "this user", GrantKind.GROUP: "this group", GrantKind.EVERYONE: "everyone"}


class NamedGrant(Struct, frozen=True, kw_only=True):
    """A grant, and what its subject is called."""

    grant: Grant
    name: str
    display_name: str


class Wish(Struct, frozen=True, kw_only=True):
    """What somebody is to be granted from now on."""

    kind: GrantKind
    subject_id: str
    role: GrantRole
    expires_at: Micros | None = None


# Raises when the caller may not do this to this chat. `widens`: whether somebody would be let do more.
AdmitGrant: TypeAlias = Callable[[Connection, Chat, Grant | None, bool], Awaitable[None]]


async def list_grants(db: Database, root_id: ChatId) -> Sequence[NamedGrant]:
    """Those that count, in the order in which they were made."""
    return [_named(row) for row in await db.read(lambda tx: tx.all("grants_of_chat", root_id))]


async def save_grant(store: Store, root_id: ChatId, by: AskedBy, wish: Wish, admit: AdmitGrant) -> None:
    """Grant something, or something else than before. Raises NotFound, BadInput and LimitReached."""

    async def beside(tx: Connection, locked: Sequence[LockedChat]) -> None:
        root, now = locked[0].chat, locked[0].now
        before = await _grant(tx, root_id, wish.kind, wish.subject_id)
        await admit(tx, root, before, widens(before, wish.role, wish.expires_at))
        _check(root, wish, now)
        await tx.run("delete_ended_grants", root_id)
        count = await tx.one("count_grants", root_id)
        if before is None and count is not None and count[0] >= GRANTS_MAX:
            raise LimitReached(
                "too_many_grants",
                f"This chat is shared with {GRANTS_MAX} users and groups, as many as it may be.",
                limit=GRANTS_MAX,
                hint="Share it with a group instead.",
            )
        await tx.run(
            "save_grant",
            root_id,
            wish.kind.value,
            wish.subject_id,
            wish.role.value,
            by.on_behalf_of or by.actor_id or "",
            wish.expires_at,
        )

    note = chat_note(by, AuditDeed.GRANT_PUT, root_id, to_builtins(wish))
    await transact_family(store, root_id, family.sharing, beside=beside, note=note)


async def delete_grant(
    store: Store, root_id: ChatId, by: AskedBy, grantee: tuple[GrantKind, str], admit: AdmitGrant
) -> None:
    """Raises NotFound when there is none."""
    kind, subject_id = grantee

    async def beside(tx: Connection, locked: Sequence[LockedChat]) -> None:
        before = await _grant(tx, root_id, kind, subject_id)
        await admit(tx, locked[0].chat, before, False)  # noqa: FBT003 - what is taken back widens nothing
        if not await tx.all("delete_grant", root_id, kind.value, subject_id):
            raise grant_not_found(kind)

    note = chat_note(by, AuditDeed.GRANT_REMOVED, root_id, {"kind": kind, "subject_id": subject_id})
    await transact_family(store, root_id, family.sharing, beside=beside, note=note)


async def subject_of(db: Database, kind: GrantKind, named: str) -> str:
    """The id of whom a caller means: by id or by name. One who is not there keeps the name."""
    match kind:
        case GrantKind.USER:
            found = await find_person(db, named)
            return found.id if found is not None else named
        case GrantKind.GROUP:
            row = await db.read(lambda tx: tx.one("group_by_id_or_name", named, named.casefold()))
            return str(row[0]) if row is not None else named
        case GrantKind.EVERYONE:
            return named


async def find_person(db: Database, named: str) -> User | None:
    """By id or by name; nobody who was deleted."""
    row = await db.read(lambda tx: tx.one("person_by_id_or_name", named, named.casefold()))
    return user_of(row) if row is not None else None


async def check_subject(db: Database, kind: GrantKind, subject_id: str) -> None:
    """Raises NotFound unless there is somebody who can be granted something."""
    match kind:
        case GrantKind.USER:
            user = await find_person(db, subject_id)
            if user is None or user.kind is UserKind.END_USER or user.id != subject_id:
                raise NotFound("user_not_found", f"There is no user {subject_id!r}.", field="subject")
        case GrantKind.GROUP:
            row = await db.read(lambda tx: tx.one("group_by_id_or_name", subject_id, ""))
            if row is None:
                raise NotFound("group_not_found", f"There is no group {subject_id!r}.", field="subject")
        case GrantKind.EVERYONE:
            if subject_id != ALL:
                raise NotFound(
                    "grant_not_found",
                    "Everyone is called `all`.",
                    field="subject",
                    hint="…/grants/everyone/all",
                )


def grant_not_found(kind: GrantKind) -> NotFound:
    """Whom the caller has named is not repeated: as an id, it would tell that a user has that name."""
    return NotFound("grant_not_found", f"This chat is not shared with {_MEANT[kind]}.")


def _check(root: Chat, wish: Wish, now: Micros) -> None:
    if wish.kind is GrantKind.USER and wish.subject_id == root.owner_id:
        raise BadInput("is_owner", "The owner of a chat may do everything with it already.", field="subject")
    if wish.expires_at is not None and wish.expires_at <= now:
        raise BadInput(
            "bad_value",
            "`expires_at` is over already.",
            field="expires_at",
            hint="Take the grant back with DELETE.",
        )


async def _grant(tx: Connection, root_id: ChatId, kind: GrantKind, subject_id: str) -> Grant | None:
    row = await tx.one("grant_of_chat", root_id, kind.value, subject_id)
    return _of(row) if row is not None else None


def _of(row: Row) -> Grant:
    kind, subject_id, role, made_by, made_at, expires_at, *_ = row
    return Grant(
        kind=GrantKind(kind),
        subject_id=subject_id,
        role=GrantRole(role),
        made_by=made_by,
        made_at=made_at,
        expires_at=expires_at,
    )


def _named(row: Row) -> NamedGrant:
    *_, name, display_name = row
    return NamedGrant(grant=_of(row), name=name, display_name=display_name)
