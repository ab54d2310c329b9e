"""Users, for administrators: who there is, and what becomes of them."""

from contextlib import suppress

from chatd.accounts.lives import (
    UserChange,
    activate_user,
    change_user,
    delete_user,
    restore_user,
    roots_of,
    suspend_user,
    working_roots_of,
)
from chatd.accounts.sign_in_codes import Purpose, new_code
from chatd.accounts.sign_ins import end_sign_ins
from chatd.accounts.users import Profile, create_user, list_users, profile_of
from chatd.api import checks
from chatd.api.accounts.user_bodies import (
    CodeView,
    CreateUser,
    DeleteUser,
    ListUsers,
    NewUserView,
    PatchUser,
    UserPage,
    UserView,
)
from chatd.api.bodies import Nothing
from chatd.api.checks import something_to_change
from chatd.api.router import Asked, B, Q
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.domain.transitions.chat.archive import Archive
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain
from chatd.storage.transactions.families import archive_family, interrupt_family


async def list_(asked: Asked[ListUsers, Nothing]) -> UserPage:
    query = asked.query
    found = await list_users(
        asked.store.db, after=query.after, role=query.role, part=query.q, limit=query.limit + 1
    )
    page = found[: query.limit]
    more = page[-1].user.name if len(found) > query.limit else None
    return UserPage(users=tuple(map(_view, page)), next=more)


async def add(asked: Asked[Nothing, CreateUser]) -> NewUserView:
    """Whoever is invited signs in with the link, and makes tokens of their own."""
    body, db = asked.body, asked.store.db
    display_name = checks.plain(body.display_name, "display_name") if body.display_name else ""
    user = await create_user(db, body.name, body.role, display_name, by=asked.by)
    code = await new_code(db, user.id, Purpose.INVITE, by=asked.by) if body.invite else None
    view = _view(await _known(asked, user.id))
    return NewUserView(code=code, **{name: getattr(view, name) for name in view.__struct_fields__})


async def show(asked: Asked[Nothing, Nothing]) -> UserView:
    return _view(await user_in_path(asked))


async def patch(asked: Asked[Nothing, PatchUser]) -> UserView:
    """Who is an administrator no more stops to see chats of others at once; agents of a viewer stop."""
    fields = something_to_change(asked.body)
    if fields.get("display_name"):
        checks.plain(fields["display_name"], "display_name")
    found = await user_in_path(asked)
    changed = await change_user(asked.store.db, found.user.id, UserChange(**fields), by=asked.by)
    asked.server.access_changed(found.user.id)
    if changed.user.role is UserRole.VIEWER:
        await _interrupt_all(asked, found.user.id)
    return _view(changed)


async def suspend(asked: Asked[Nothing, Nothing]) -> UserView:
    """First the flag, then an interrupt of each turn: none begins behind our back. What was said is kept."""
    found = await user_in_path(asked)
    suspended = await suspend_user(asked.store.db, found.user.id, by=asked.by)
    asked.server.access_changed(found.user.id)
    await _interrupt_all(asked, found.user.id)
    return _view(suspended)


async def activate(asked: Asked[Nothing, Nothing]) -> UserView:
    found = await user_in_path(asked)
    activated = await activate_user(asked.store.db, found.user.id, by=asked.by)
    asked.server.access_changed(found.user.id)
    return _view(activated)


async def delete(asked: Asked[DeleteUser, Nothing]) -> None:
    """Again after a crash in the middle, it goes on. For 14 days the user can be brought back."""
    if asked.query.chats is None:
        raise BadInput(
            "choice_needed",
            "Say what becomes of the chats of this user.",
            field="chats",
            hint="`?chats=archive` puts them into the archive, where administrators can read them.",
        )
    db, user_id = asked.store.db, (await user_in_path(asked)).user.id
    if await working_roots_of(db, user_id):
        raise NotAllowed(
            "busy",
            "Agents work for this user.",
            hint="Suspend the user, and delete them when their agents have stopped.",
        )
    after = ""
    while roots := await roots_of(db, user_id, after=after):
        for root_id in roots:
            with suppress(NotAllowed, NotFound):
                await archive_family(asked.store, root_id, Archive(), by=asked.by)
        after = roots[-1]
    await delete_user(db, user_id, by=asked.by)
    asked.server.access_changed(user_id)
    # What they began in the meantime.
    await _interrupt_all(asked, user_id)


async def restore(asked: Asked[Nothing, Nothing]) -> UserView:
    user_id = UserId(asked.path["user_id"])
    if not is_plain(user_id):
        raise _not_found(user_id)
    restored = await restore_user(asked.store.db, user_id, by=asked.by)
    asked.server.access_changed(user_id)
    return _view(restored)


async def link(asked: Asked[Nothing, Nothing]) -> CodeView:
    found = await user_in_path(asked)
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
        raise _not_found(user_id)
    return found


async def _interrupt_all(asked: Asked[Q, B], user_id: UserId) -> None:
    for root_id in await working_roots_of(asked.store.db, user_id):
        # It may have come to rest by itself, or be gone.
        with suppress(NotAllowed, NotFound):
            await interrupt_family(asked.store, root_id, Interrupt())


def _not_found(user_id: UserId) -> NotFound:
    return NotFound("user_not_found", f"There is no user {user_id!r}.", hint="GET /api/v1/users lists them.")


def _view(profile: Profile) -> UserView:
    user = profile.user
    return UserView(
        id=user.id,
        name=user.name,
        display_name=profile.display_name,
        role=user.role,
        kind=user.kind,
        created_at=rfc3339(profile.created_at),
        suspended_at=rfc3339(profile.suspended_at) if profile.suspended_at is not None else None,
    )
