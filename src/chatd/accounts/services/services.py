"""Services, for administrators: which there are, and for whom each may speak."""

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from chatd.accounts.groups import known_group
from chatd.accounts.tokens.rates import rates_in, stored_rates
from chatd.accounts.users import Profile, check_name, check_room, name_taken, profile_in
from chatd.domain.ids import UserId
from chatd.domain.people.acting import ActsFor
from chatd.domain.people.audit import (
    THE_SERVER,
    AskedBy,
    AuditDeed,
    AuditEntry,
    Changes,
    TargetKind,
    changes_between,
)
from chatd.domain.people.rates import NO_RATES, Rates
from chatd.domain.people.roles import UserRole
from chatd.errors import BadInput, NotFound
from chatd.kit.ids import new_id
from chatd.kit.text import is_plain
from chatd.storage.database import Connection, Database, Row
from chatd.storage.tables.audit import record

# Of one service, and if nothing else is said.
END_USERS_MAX = 100_000
# Of one page of a list.
PAGE_MAX = 100


class Service(Struct, frozen=True, kw_only=True):
    profile: Profile
    acts_for: ActsFor
    # Of the people for whom it speaks.
    group_id: str | None
    end_users: int
    end_users_max: int
    # How often it may ask in a minute, with all of its end users, where that is not the usual.
    rates: Rates

    @property
    def id(self) -> UserId:
        return self.profile.user.id


class NewService(Struct, frozen=True, kw_only=True):
    name: str
    role: UserRole = UserRole.MEMBER
    display_name: str = ""
    acts_for: ActsFor = ActsFor.NOBODY
    group_id: str | None = None
    end_users_max: int = END_USERS_MAX
    rates: Rates = NO_RATES


class ServiceChange(Struct, frozen=True, kw_only=True):
    """What is not named stays as it is."""

    role: UserRole | UnsetType = UNSET
    display_name: str | UnsetType = UNSET
    acts_for: ActsFor | UnsetType = UNSET
    group_id: str | UnsetType | None = UNSET
    end_users_max: int | UnsetType = UNSET
    rates: Rates | UnsetType = UNSET


class EndUser(Struct, frozen=True, kw_only=True):
    profile: Profile
    # What its service calls them.
    external_id: str


async def create_service(db: Database, new: NewService, *, by: AskedBy = THE_SERVER) -> Service:
    """Raises BadInput, NotAllowed, NotFound."""
    check_name(new.name)
    _check_acting(new.acts_for, new.group_id)
    service_id = UserId(new_id())

    async def body(tx: Connection) -> Service:
        await check_room(tx)
        values = service_id, new.name, new.role.value, new.name.casefold(), new.display_name
        if await tx.one("insert_service_user", *values) is None:
            raise name_taken(new.name)
        if new.group_id is not None:
            await known_group(tx, new.group_id)
        of_service = new.acts_for.value, new.group_id, new.end_users_max, stored_rates(new.rates)
        await tx.run("insert_service", service_id, *of_service)
        made = await known_service(tx, service_id)
        await record(tx, by, _entry(AuditDeed.SERVICE_CREATED, service_id, _told(made)))
        return made

    return await db.write(body)


async def change_service(
    db: Database, service_id: UserId, change: ServiceChange, *, by: AskedBy = THE_SERVER
) -> Service:
    """Raises BadInput, NotFound."""

    async def body(tx: Connection) -> Service:
        await tx.all("lock_service", service_id)
        before = await known_service(tx, service_id)
        acts_for = change.acts_for if change.acts_for is not UNSET else before.acts_for
        # A group goes with one way of acting only, and so does with it.
        kept = before.group_id if acts_for is before.acts_for else None
        group_id = change.group_id if change.group_id is not UNSET else kept
        _check_acting(acts_for, group_id)
        if group_id is not None:
            await known_group(tx, group_id)
        most = change.end_users_max if change.end_users_max is not UNSET else before.end_users_max
        rates = change.rates if change.rates is not UNSET else before.rates
        await tx.run("save_service", service_id, acts_for.value, group_id, most, stored_rates(rates))
        profile = before.profile
        role = change.role if change.role is not UNSET else profile.user.role
        name = change.display_name if change.display_name is not UNSET else profile.display_name
        await tx.run("change_user", service_id, role.value, name)
        after = await known_service(tx, service_id)
        changes = changes_between(_told(before), _told(after))
        await record(tx, by, _entry(AuditDeed.SERVICE_CHANGED, service_id, changes))
        return after

    return await db.write(body)


async def list_services(db: Database, *, after: str = "", limit: int = PAGE_MAX) -> Sequence[Service]:
    """In the order of their names."""
    rows = await db.read(lambda tx: tx.all("services_after", after.casefold(), limit))
    return [_service(row) for row in rows]


async def find_service(db: Database, service_id: UserId) -> Service:
    """Raises NotFound."""
    return await db.read(lambda tx: known_service(tx, service_id))


async def list_end_users(
    db: Database,
    service_id: UserId,
    *,
    external_id: str | None = None,
    after: str = "",
    limit: int = PAGE_MAX,
) -> Sequence[EndUser]:
    """In the order of the names that the service has for them."""
    rows = await db.read(lambda tx: tx.all("end_users_after", service_id, after, external_id, limit))
    return [EndUser(profile=profile_in(row[:-1]), external_id=row[-1]) for row in rows]


async def known_service(tx: Connection, service_id: UserId) -> Service:
    """Raises NotFound."""
    row = await tx.one("service_of_id", service_id) if is_plain(service_id) else None
    if row is None:
        raise NotFound(
            "service_not_found",
            f"There is no service {service_id!r}.",
            hint="GET /api/v1/services lists them.",
        )
    return _service(row)


def _service(row: Row) -> Service:
    *of_user, acts_for, group_id, end_users, end_users_max, rates = row
    return Service(
        profile=profile_in(tuple(of_user)),
        acts_for=ActsFor(acts_for),
        group_id=group_id,
        end_users=end_users,
        end_users_max=end_users_max,
        rates=rates_in(rates),
    )


def _check_acting(acts_for: ActsFor, group_id: str | None) -> None:
    if (acts_for is ActsFor.GROUP) != (group_id is not None):
        raise BadInput(
            "bad_value",
            "`group_id` names the people for whom a service speaks with `acts_for` `group`, and only then.",
            field="group_id",
        )


def _told(service: Service) -> Changes:
    user = service.profile.user
    return {
        "name": user.name,
        "role": user.role,
        "display_name": service.profile.display_name,
        "acts_for": service.acts_for,
        "group_id": service.group_id,
        "end_users_max": service.end_users_max,
        "rates": stored_rates(service.rates),
    }


def _entry(deed: AuditDeed, service_id: UserId, changes: Changes) -> AuditEntry:
    return AuditEntry(deed=deed, target_kind=TargetKind.SERVICE, target_id=service_id, changes=changes)
