"""What becomes of users: suspended, active again, deleted, brought back."""

from contextlib import suppress

from chatd.accounts.lives import (
    activate_user,
    delete_user,
    restore_user,
    roots_of,
    suspend_user,
    working_roots_of,
)
from chatd.accounts.services.services import find_service
from chatd.accounts.stopping import stop_agents
from chatd.accounts.users import User
from chatd.api.accounts.user_bodies import DeleteUser, UserView
from chatd.api.accounts.users import not_found, user_in_path, user_view
from chatd.api.bodies import Nothing
from chatd.api.router import Asked, B, Q
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserKind
from chatd.domain.transitions.chat.archive import Archive
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.kit.text import is_plain
from chatd.storage.transactions.families import archive_family


async def suspend(asked: Asked[Nothing, Nothing]) -> UserView:
    """First the flag, then an interrupt of each turn: none begins behind our back. What was said is kept."""
    found = await user_in_path(asked)
    suspended = await suspend_user(asked.store.db, found.user.id, by=asked.by)
    _access_changed(asked, found.user)
    await stop_agents(asked.store, found.user.id)
    return user_view(suspended)


async def activate(asked: Asked[Nothing, Nothing]) -> UserView:
    found = await user_in_path(asked)
    activated = await activate_user(asked.store.db, found.user.id, by=asked.by)
    _access_changed(asked, found.user)
    return user_view(activated)


async def delete(asked: Asked[DeleteUser, Nothing]) -> None:
    """Again after a crash in the middle, it goes on. For 14 days the user can be brought back."""
    if asked.query.chats is None:
        raise BadInput(
            "choice_needed",
            "Say what becomes of the chats of this user.",
            field="chats",
            hint="`?chats=archive` puts them into the archive, where administrators can read them.",
        )
    db, user = asked.store.db, (await user_in_path(asked)).user
    user_id = user.id
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
    _access_changed(asked, user)
    # What they began in the meantime.
    await stop_agents(asked.store, user_id)


async def delete_service(asked: Asked[DeleteUser, Nothing]) -> None:
    """A service takes its end users along."""
    await find_service(asked.store.db, UserId(asked.path["user_id"]))
    await delete(asked)


async def restore(asked: Asked[Nothing, Nothing]) -> UserView:
    user_id = UserId(asked.path["user_id"])
    if not is_plain(user_id):
        raise not_found(user_id)
    restored = await restore_user(asked.store.db, user_id, by=asked.by)
    _access_changed(asked, restored.user)
    return user_view(restored)


def _access_changed(asked: Asked[Q, B], user: User) -> None:
    """A service takes its end users along, and nobody lists them all to say so."""
    asked.server.access_changed(user.id if user.kind is not UserKind.SERVICE else None)
