"""The life of a user: active, suspended, deleted, and back. One active administrator exists always.

What ends their streams and their turns is done by who calls these, after the commit.
"""

from collections.abc import Mapping, Sequence

import structlog
from msgspec import UNSET, Struct, UnsetType

from chatd.accounts.users import Profile, User, name_taken, of_user, profile_in, set_email
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.audit import CHANGED, THE_SERVER, AskedBy, AuditDeed, changes_between
from chatd.domain.people.leaving import ChatsOfLeaver, Leaving, Receiver, may_receive
from chatd.domain.people.roles import UserKind, UserRole
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.kit.codec import encode_text
from chatd.kit.text import is_plain
from chatd.storage.database import Connection, Database, Pace
from chatd.storage.tables.audit import record

log = structlog.get_logger()

DAY_MICROS = 24 * 3600 * 1_000_000
# How long a deleted user can be brought back.
UNDO_MICROS = 14 * DAY_MICROS
# Chats that are looked for at once.
WORKING_MAX = 1000


class UserChange(Struct, frozen=True, kw_only=True):
    """What is not named stays as it is."""

    role: UserRole | UnsetType = UNSET
    display_name: str | UnsetType = UNSET
    # Administrators see to it that it is the user's own; null: none.
    email: str | UnsetType | None = UNSET
    # Null takes it away. Only users choose one.
    password: UnsetType | None = UNSET


async def change_user(
    db: Database, user_id: UserId, change: UserChange, *, by: AskedBy = THE_SERVER
) -> Profile:
    """Raises NotFound; NotAllowed when no administrator would be left."""

    async def body(tx: Connection) -> Profile:
        before = await _live(tx, user_id)
        role = change.role if change.role is not UNSET else before.user.role
        if before.user.kind is UserKind.END_USER and role is not before.user.role:
            raise BadInput("bad_value", "End users are members, and nothing else.", field="role")
        if role is not UserRole.ADMIN:
            await _check_others_run_it(tx, user_id)
        name = change.display_name if change.display_name is not UNSET else before.display_name
        await tx.run("change_user", user_id, role.value, name)
        if change.email is not UNSET:
            await set_email(tx, user_id, change.email, is_verified=change.email is not None)
        if change.password is not UNSET:
            await tx.run("forget_password", user_id)
        after = await _live(tx, user_id)
        changes = changes_between(_told(before), _told(after))
        if change.password is not UNSET:
            changes = {**changes, "password": CHANGED}
        await record(tx, by, of_user(AuditDeed.USER_CHANGED, user_id, changes))
        return after

    return await db.write(body)


async def set_role(tx: Connection, user_id: UserId, role: UserRole, *, by: AskedBy) -> None:
    """The role that the identity provider says. The last administrator stays one."""
    before = await _live(tx, user_id)
    if before.user.role is role:
        return
    if before.user.role is UserRole.ADMIN:
        try:
            await _check_others_run_it(tx, user_id)
        except NotAllowed:
            log.warning("role.kept", user=before.user.name, why="nobody else runs this server")
            return
    await tx.run("change_user", user_id, role.value, before.display_name)
    changes = changes_between({"role": before.user.role}, {"role": role})
    await record(tx, by, of_user(AuditDeed.USER_CHANGED, user_id, changes))


async def suspend_user(db: Database, user_id: UserId, *, by: AskedBy = THE_SERVER) -> Profile:
    """Nothing of theirs counts until they are activated; browsers have to sign in again. Raises as above."""

    async def body(tx: Connection) -> Profile:
        await _live(tx, user_id)
        await _check_others_run_it(tx, user_id)
        await tx.run("suspend_user", user_id)
        await tx.run("delete_sign_ins_of_user", user_id)
        await tx.run("delete_sign_in_codes_of_user", user_id)
        await record(tx, by, of_user(AuditDeed.USER_SUSPENDED, user_id))
        return await _live(tx, user_id)

    return await db.write(body)


async def activate_user(db: Database, user_id: UserId, *, by: AskedBy = THE_SERVER) -> Profile:
    """Their tokens count again. Raises NotFound."""

    async def body(tx: Connection) -> Profile:
        await _live(tx, user_id)
        await tx.run("activate_user", user_id)
        await record(tx, by, of_user(AuditDeed.USER_ACTIVATED, user_id))
        return await _live(tx, user_id)

    return await db.write(body)


async def delete_user(db: Database, user_id: UserId, leaving: Leaving, *, by: AskedBy = THE_SERVER) -> None:
    """Their ways in are removed, the name is free; for 14 days they can be brought back. Raises as above.

    What is to become of their chats is written down with it, and done afterwards.
    """

    async def body(tx: Connection) -> None:
        before = await _live(tx, user_id)
        await _check_others_run_it(tx, user_id)
        await _check_receiver(tx, before.user, leaving)
        await tx.run("delete_user", user_id, encode_text(leaving))
        if before.user.service_id is not None:
            await tx.run("count_end_users", before.user.service_id, -1)
        await tx.run("delete_tokens_of_user", user_id)
        await tx.run("delete_identities_of_user", user_id)
        await tx.run("forget_password", user_id)
        await tx.run("delete_sign_ins_of_user", user_id)
        await tx.run("delete_sign_in_codes_of_user", user_id)
        await tx.run("delete_keys_of_user", user_id)
        await tx.run("delete_settings_of_user", user_id)
        changes = {"chats": leaving.chats, **({"to": leaving.to} if leaving.to is not None else {})}
        await record(tx, by, of_user(AuditDeed.USER_DELETED, user_id, changes))

    await db.write(body)


async def restore_user(db: Database, user_id: UserId, *, by: AskedBy = THE_SERVER) -> Profile:
    """Raises NotFound when it is too late, NotAllowed when another user has the name by now."""

    async def body(tx: Connection) -> Profile:
        row = await tx.one("user_profile", user_id)
        if row is None or profile_in(row).deleted_at is None:
            raise _not_found(user_id)
        user = profile_in(row).user
        name_key = await _name_key_of_restored(tx, user)
        if await tx.one("restore_user", user_id, name_key, UNDO_MICROS) is None:
            raise _not_found(user_id)
        if user.service_id is not None:
            await tx.run("count_end_users", user.service_id, 1)
        await record(tx, by, of_user(AuditDeed.USER_RESTORED, user_id))
        return await _live(tx, user_id)

    return await db.write(body)


async def _check_receiver(tx: Connection, leaver: User, leaving: Leaving) -> None:
    """Raises BadInput unless somebody can have the chats who is to get them."""
    if (leaving.chats is ChatsOfLeaver.TRANSFER) != (leaving.to is not None):
        raise BadInput("bad_value", "`to` goes with `chats=transfer`, and only with it.", field="to")
    if leaving.to is None:
        return
    row = await tx.one("user_profile", leaving.to) if is_plain(leaving.to) else None
    profile = profile_in(row) if row is not None else None
    if profile is not None and profile.deleted_at is None and profile.user.id != leaver.id:
        receiver = Receiver(
            kind=profile.user.kind,
            role=profile.user.role,
            suspended=profile.suspended_at is not None,
            service_id=profile.user.service_id,
        )
        if may_receive(receiver, leaver_service=leaver.service_id):
            return
    raise BadInput(
        "bad_value",
        "Who gets the chats is an active person who may have chats, or, for those of an end user, another "
        "end user of the same service.",
        field="to",
        hint="GET /api/v1/users lists people with their ids.",
    )


async def _name_key_of_restored(tx: Connection, user: User) -> str:
    """By what they are unique from now on. Raises NotAllowed when somebody else is that by now."""
    if user.service_id is None:
        if await tx.one("user_named", user.name.casefold()) is not None:
            raise name_taken(user.name)
        return user.name.casefold()
    # Of an end user, the name is what the service calls them. It makes no new one meanwhile.
    await tx.all("lock_service", user.service_id)
    if await tx.one("end_user_spoken_for", user.service_id, user.name) is not None:
        raise name_taken(user.name)
    return user.id


async def is_shut_out(db: Database, user_id: UserId) -> bool:
    """Whether nothing that costs may be done for a user: suspended, deleted, or one who may only view."""
    row = await db.read(lambda tx: tx.one("is_shut_out", user_id), pace=Pace.ONE_QUERY)
    return row is not None and bool(row[0])


async def working_roots_of(db: Database, user_id: UserId, *, after: str = "") -> Sequence[ChatId]:
    """Some chats of a user, or of the end users of a service, in whose families agents work."""
    rows = await db.read(lambda tx: tx.all("working_roots_of", user_id, after, WORKING_MAX))
    return [ChatId(row[0]) for row in rows]


async def _live(tx: Connection, user_id: UserId) -> Profile:
    row = await tx.one("user_profile", user_id)
    if row is None or profile_in(row).deleted_at is not None:
        raise _not_found(user_id)
    return profile_in(row)


async def _check_others_run_it(tx: Connection, user_id: UserId) -> None:
    """Under a lock on all administrators: of two who give it up at once, the second one sees the first."""
    admins = {row[0] for row in await tx.all("lock_active_admins")}
    if admins == {user_id}:
        raise NotAllowed(
            "last_admin",
            "Nobody would be left to run this server.",
            hint="Make somebody else an administrator first.",
        )


def _told(profile: Profile) -> Mapping[str, object]:
    """What the audit tells of a user."""
    return {"role": profile.user.role, "display_name": profile.display_name, "email": profile.email}


def _not_found(user_id: UserId) -> NotFound:
    return NotFound("user_not_found", f"There is no user {user_id!r}.", hint="GET /api/v1/users lists them.")
