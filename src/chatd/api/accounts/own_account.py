"""A user's own account: who they are, their display name, their password."""

from msgspec import UNSET

from chatd.accounts.lives.lives import UserChange, change_user
from chatd.accounts.users import profile_of
from chatd.accounts.ways_in.passwords.sign_in import choose_password
from chatd.api import checks
from chatd.api.accounts.bodies import OwnAccount
from chatd.api.accounts.passwords import passwords_of
from chatd.api.accounts.signed_in import own_account
from chatd.api.accounts.user_bodies import ChoosePassword, PatchOwnAccount, UserView
from chatd.api.accounts.users import user_view
from chatd.api.bodies import Nothing
from chatd.api.checks import something_to_change
from chatd.api.failures import Forbidden
from chatd.api.router import Asked
from chatd.api.serving.callers.auth import Caller
from chatd.domain.people.scopes import ALL_SCOPES


async def show(asked: Asked[Nothing, Nothing]) -> OwnAccount:
    return await own_account(asked, asked.user, asked.sign_in_id)


async def patch(asked: Asked[Nothing, PatchOwnAccount]) -> UserView:
    something_to_change(asked.body)
    name, password = asked.body.display_name, asked.body.password
    if name is not UNSET and name:
        checks.plain(name, "display_name")
    if password is not UNSET:
        await _choose(asked, password)
    if name is not UNSET:
        await change_user(asked.store.db, asked.user.id, UserChange(display_name=name), by=asked.by)
    profile = await profile_of(asked.store.db, asked.user.id)
    assert profile is not None, "a user who asks is there"
    return user_view(profile)


def check_for_everything(caller: Caller, field: str) -> None:
    """What lets a browser in for everything and without an end is not made with less. Raises Forbidden."""
    if caller.standing.scopes != ALL_SCOPES or caller.expires_at is not None:
        raise Forbidden(
            "scope_missing",
            "What you have shown is good for less than what you ask for.",
            field=field,
            hint="Sign in with a browser, by a link, and do it there.",
        )


async def _choose(asked: Asked[Nothing, PatchOwnAccount], chosen: ChoosePassword) -> None:
    """A password lets a browser in for everything, and without an end: so must what was shown for it."""
    passwords, caller = passwords_of(asked), asked.known
    check_for_everything(caller, "password")
    await choose_password(
        asked.store.db,
        passwords,
        caller.user,
        old=chosen.old,
        new=chosen.new,
        sign_in_id=caller.sign_in_id,
        by=asked.by,
    )
    asked.server.access_changed(caller.user.id)
