"""What becomes of users: suspended, active again, deleted, brought back."""

from chatd.accounts.lives.leaving import Leaver, settle
from chatd.accounts.lives.lives import activate_user, delete_user, restore_user, suspend_user
from chatd.accounts.lives.stopping import stop_agents
from chatd.accounts.services.services import find_service
from chatd.accounts.users import User
from chatd.api.accounts.user_bodies import DeleteUser, UserView
from chatd.api.accounts.users import not_found, user_in_path, user_view
from chatd.api.bodies import Nothing
from chatd.api.router import Asked, B, Q
from chatd.domain.ids import UserId
from chatd.domain.people.leaving import ChatsOfLeaver, Leaving
from chatd.domain.people.roles import UserKind
from chatd.errors import BadInput
from chatd.kit.text import is_plain


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
    """What was chosen for the chats comes about even if this server ends in the middle: a chore goes on.

    For 14 days the user can be brought back; what has happened to chats by then stays so.
    """
    query, store = asked.query, asked.store
    if query.chats is None:
        raise BadInput(
            "choice_needed",
            "Say what becomes of the chats of this user.",
            field="chats",
            hint="`?chats=archive` puts them into the archive, where administrators can read them; "
            "`?chats=transfer&to=USER_ID` makes them another user's; `?chats=erase` deletes them.",
        )
    user = (await user_in_path(asked)).user
    to = UserId(query.to) if query.to is not None else None
    shared = asked.server.places.shared
    leaving = Leaving(chats=ChatsOfLeaver(query.chats), to=to, by=asked.by, workspace_shared=shared)
    await delete_user(store.db, user.id, leaving, by=asked.by)
    _access_changed(asked, user)
    await stop_agents(store, user.id)
    await settle(store, Leaver(user.id, leaving))


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
