"""Users, for administrators: who there is, and what becomes of them."""

from chatd.accounts.groups import join_group
from chatd.accounts.lives.lives import UserChange, change_user
from chatd.accounts.lives.stopping import stop_agents
from chatd.accounts.users import Profile, User, Wanted, create_user, find_people, list_users, profile_of
from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.accounts.ways_in.sign_ins import end_sign_ins
from chatd.api import checks
from chatd.api.accounts.user_bodies import (
    CodeView,
    CreateUser,
    ListUsers,
    NewUserView,
    PatchUser,
    UserNameView,
    UserPage,
    UserView,
)
from chatd.api.bodies import Nothing
from chatd.api.checks import something_to_change
from chatd.api.router import Asked, B, Q
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserKind, UserRole
from chatd.errors import NotAllowed, NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain
from chatd.storage.database import Connection


async def list_(asked: Asked[ListUsers, Nothing]) -> UserPage:
    query = asked.query
    if query.find:
        people = await find_people(asked.store.db, query.find)
        return UserPage(users=(), names=tuple(map(_name_view, people)))
    suspended = None if query.state is None else query.state == "suspended"
    kind = UserKind(query.kind) if query.kind is not None else None
    wanted = Wanted(role=query.role, kind=kind, suspended=suspended, part=query.q)
    found = await list_users(asked.store.db, after=query.after, wanted=wanted, limit=query.limit + 1)
    page = found[: query.limit]
    more = page[-1].user.name if len(found) > query.limit else None
    return UserPage(users=tuple(map(user_view, page)), next=more)


async def add(asked: Asked[Nothing, CreateUser]) -> NewUserView:
    """Whoever is invited signs in with the link, and makes tokens of their own."""
    body, db = asked.body, asked.store.db
    display_name = checks.plain(body.display_name, "display_name") if body.display_name else ""

    async def join(tx: Connection, user: User) -> None:
        for group_id in body.groups:
            await join_group(tx, group_id, user.id, by=asked.by)

    user = await create_user(
        db, body.name, body.role, display_name, email=_email(body.email), by=asked.by, then=join
    )
    code = await new_code(db, user.id, Purpose.INVITE, by=asked.by) if body.invite else None
    view = user_view(await _known(asked, user.id))
    return NewUserView(code=code, **{name: getattr(view, name) for name in view.__struct_fields__})


async def show(asked: Asked[Nothing, Nothing]) -> UserView:
    return user_view(await user_in_path(asked))


async def patch(asked: Asked[Nothing, PatchUser]) -> UserView:
    """Who is an administrator no more stops to see chats of others at once; agents of a viewer stop."""
    fields = something_to_change(asked.body)
    if fields.get("display_name"):
        checks.plain(fields["display_name"], "display_name")
    if fields.get("email"):
        _email(fields["email"])
    found = await user_in_path(asked)
    changed = await change_user(asked.store.db, found.user.id, UserChange(**fields), by=asked.by)
    asked.server.access_changed(found.user.id)
    if changed.user.role is UserRole.VIEWER:
        await stop_agents(asked.store, found.user.id)
    return user_view(changed)


async def link(asked: Asked[Nothing, Nothing]) -> CodeView:
    found = await user_in_path(asked)
    if found.user.kind is not UserKind.PERSON:
        raise NotAllowed(
            "not_a_person",
            f"{found.user.name!r} does not sign in.",
            hint="`chatd service token`, or POST /api/v1/users/{id}/tokens, makes a token for a service.",
        )
    return CodeView(code=await new_code(asked.store.db, found.user.id, Purpose.RECOVER, by=asked.by))


async def sign_out(asked: Asked[Nothing, Nothing]) -> None:
    found = await user_in_path(asked)
    await end_sign_ins(asked.store.db, found.user.id, by=asked.by)
    asked.server.access_changed(found.user.id)


async def user_in_path(asked: Asked[Q, B]) -> Profile:
    """Raises NotFound for one who is not there, or was deleted."""
    return await _known(asked, UserId(asked.path["user_id"]))


async def _known(asked: Asked[Q, B], user_id: UserId) -> Profile:
    found = await profile_of(asked.store.db, user_id) if is_plain(user_id) else None
    if found is None or found.deleted_at is not None:
        raise not_found(user_id)
    return found


def _email(email: str | None) -> str | None:
    return checks.plain(email, "email") if email else None


def not_found(user_id: UserId) -> NotFound:
    return NotFound("user_not_found", f"There is no user {user_id!r}.", hint="GET /api/v1/users lists them.")


def _name_view(profile: Profile) -> UserNameView:
    user = profile.user
    return UserNameView(id=user.id, name=user.name, display_name=profile.display_name)


def user_view(profile: Profile) -> UserView:
    user = profile.user
    return UserView(
        id=user.id,
        name=user.name,
        display_name=profile.display_name,
        email=profile.email,
        role=user.role,
        kind=user.kind,
        created_at=rfc3339(profile.created_at),
        suspended_at=rfc3339(profile.suspended_at) if profile.suspended_at is not None else None,
    )
