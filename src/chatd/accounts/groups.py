"""Groups: named sets of users. Who is in one that the identity provider names is for the provider to say."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from chatd.accounts.users import NAME_LENGTH_MAX, Profile, pattern_of, profile_in
from chatd.domain.ids import Micros, UserId
from chatd.domain.people.audit import THE_SERVER, AskedBy, AuditDeed, AuditEntry, TargetKind
from chatd.domain.people.roles import UserKind
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.kit.ids import new_id
from chatd.kit.text import is_plain
from chatd.storage.database import Connection, Database, Row
from chatd.storage.tables.audit import record

# Of a deployment, and those that one user is in.
GROUPS_MAX, GROUPS_OF_USER_MAX = 1000, 50
# Of one page of a list.
PAGE_MAX = 100


class GroupSource(StrEnum):
    # Made here.
    LOCAL = "local"
    # Told by the identity provider.
    OIDC = "oidc"


class Group(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    source: GroupSource
    created_at: Micros
    members: int


async def create_group(db: Database, name: str, *, by: AskedBy = THE_SERVER) -> Group:
    """Raises BadInput when it cannot be a name, NotAllowed when it is taken or there are too many."""
    _check_name(name)

    async def body(tx: Connection) -> Group:
        await tx.all("one_maker_of_groups")
        counted = await tx.one("count_groups")
        if counted is not None and counted[0] >= GROUPS_MAX:
            raise NotAllowed(
                "too_many_groups",
                f"There are {GROUPS_MAX} groups, and there can be no more.",
                hint="Delete one that nobody needs.",
            )
        group_id = new_id()
        if await tx.one("insert_group", group_id, name, name.casefold(), GroupSource.LOCAL.value) is None:
            raise _name_taken(name)
        await record(tx, by, _entry(AuditDeed.GROUP_CREATED, group_id, {"name": name}))
        return await known_group(tx, group_id)

    return await db.write(body)


async def rename_group(db: Database, group_id: str, name: str, *, by: AskedBy = THE_SERVER) -> Group:
    """Raises as above; NotFound; NotAllowed for a group of the identity provider."""
    _check_name(name)

    async def body(tx: Connection) -> Group:
        before = await known_group(tx, group_id)
        _check_local(before)
        other = await tx.one("group_named", name.casefold())
        if other is not None and other[0] != group_id:
            raise _name_taken(name)
        await tx.run("rename_group", group_id, name, name.casefold())
        changes = {"name": {"before": before.name, "after": name}}
        await record(tx, by, _entry(AuditDeed.GROUP_CHANGED, group_id, changes))
        return await known_group(tx, group_id)

    return await db.write(body)


async def delete_group(db: Database, group_id: str, *, by: AskedBy = THE_SERVER) -> None:
    """With all that was granted to it. Services that spoke for its people speak for nobody.

    Raises NotFound.
    """

    async def body(tx: Connection) -> None:
        group = await known_group(tx, group_id)
        await tx.run("have_services_speak_for_no_group", group_id)
        await tx.run("delete_group", group_id)
        await record(tx, by, _entry(AuditDeed.GROUP_DELETED, group_id, {"name": group.name}))

    await db.write(body)


async def list_groups(
    db: Database, *, after: str = "", part: str = "", limit: int = PAGE_MAX
) -> Sequence[Group]:
    """Those whose names come behind `after`, in the order of their names. `part` is a part of the name."""
    rows = await db.read(lambda tx: tx.all("groups_after", after.casefold(), pattern_of(part), limit))
    return [_group(row) for row in rows]


async def find_group(db: Database, group_id: str) -> Group:
    """Raises NotFound."""
    return await db.read(lambda tx: known_group(tx, group_id))


async def group_names(db: Database) -> Mapping[str, str]:
    """Of all groups, by their ids."""
    rows = await db.read(lambda tx: tx.all("group_names"))
    return {str(id_): str(name) for id_, name in rows}


async def groups_of(db: Database, user_id: UserId) -> Sequence[Group]:
    return [_group(row) for row in await db.read(lambda tx: tx.all("groups_of_user", user_id))]


async def list_members(
    db: Database, group_id: str, *, after: str = "", limit: int = PAGE_MAX
) -> Sequence[Profile]:
    """In the order of their names. Raises NotFound."""

    async def body(tx: Connection) -> Sequence[Row]:
        await known_group(tx, group_id)
        return await tx.all("members_after", group_id, after.casefold(), limit)

    return [profile_in(row) for row in await db.read(body)]


async def add_member(db: Database, group_id: str, user_id: UserId, *, by: AskedBy = THE_SERVER) -> bool:
    """Whether they were no member before. Raises NotFound; NotAllowed."""
    return await db.write(lambda tx: join_group(tx, group_id, user_id, by=by))


async def join_group(tx: Connection, group_id: str, user_id: UserId, *, by: AskedBy) -> bool:
    _check_local(await known_group(tx, group_id))
    # Of two additions at once, both would find room for one more.
    await tx.all("lock_user", user_id)
    row = await tx.one("user_profile", user_id)
    profile = profile_in(row) if row is not None else None
    if profile is None or profile.deleted_at is not None or profile.user.kind is UserKind.END_USER:
        raise NotFound("user_not_found", f"There is no user {user_id!r} who could be in a group.")
    if await tx.one("insert_member", group_id, user_id, GroupSource.LOCAL.value) is None:
        return False
    counted = await tx.one("count_groups_of_user", user_id)
    if counted is not None and counted[0] > GROUPS_OF_USER_MAX:
        raise NotAllowed(
            "too_many_groups",
            f"{profile.user.name!r} is in {GROUPS_OF_USER_MAX} groups, and can be in no more.",
            hint="Take them out of another one first.",
        )
    await record(tx, by, _entry(AuditDeed.MEMBER_ADDED, group_id, {"user_id": user_id}))
    return True


async def remove_member(db: Database, group_id: str, user_id: UserId, *, by: AskedBy = THE_SERVER) -> None:
    """Raises NotFound; NotAllowed for a group of the identity provider."""

    async def body(tx: Connection) -> None:
        _check_local(await known_group(tx, group_id))
        if await tx.one("delete_member", group_id, user_id) is None:
            raise NotFound("user_not_found", f"There is no user {user_id!r} in this group.")
        await record(tx, by, _entry(AuditDeed.MEMBER_REMOVED, group_id, {"user_id": user_id}))

    await db.write(body)


async def known_group(tx: Connection, group_id: str) -> Group:
    """Raises NotFound."""
    row = await tx.one("group_of_id", group_id) if is_plain(group_id) else None
    if row is None:
        raise NotFound(
            "group_not_found", f"There is no group {group_id!r}.", hint="GET /api/v1/groups lists them."
        )
    return _group(row)


def _group(row: Row) -> Group:
    id_, name, source, created_at, members = row
    return Group(id=id_, name=name, source=GroupSource(source), created_at=created_at, members=members)


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > NAME_LENGTH_MAX or not is_plain(name):
        raise BadInput(
            "bad_name", f"A group's name has 1 to {NAME_LENGTH_MAX} visible characters.", field="name"
        )


def _check_local(group: Group) -> None:
    if group.source is not GroupSource.LOCAL:
        raise NotAllowed(
            "managed",
            f"The identity provider says what becomes of the group {group.name!r}.",
            hint="Change it there; it counts when its members sign in the next time.",
        )


def _name_taken(name: str) -> NotAllowed:
    return NotAllowed("name_taken", f"There is a group {name!r} already.", field="name")


def _entry(deed: AuditDeed, group_id: str, changes: Mapping[str, object]) -> AuditEntry:
    return AuditEntry(deed=deed, target_kind=TargetKind.GROUP, target_id=group_id, changes=changes)
