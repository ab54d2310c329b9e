"""The browsers in which a user is signed in."""

from chatd.accounts.ways_in.sign_ins import end_sign_in, sign_ins_of
from chatd.api.accounts.bodies import SignInList, SignInView
from chatd.api.accounts.users import user_in_path
from chatd.api.bodies import Nothing
from chatd.api.router import Asked
from chatd.domain.ids import UserId
from chatd.errors import NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain


async def list_(asked: Asked[Nothing, Nothing]) -> SignInList:
    return await _list(asked, asked.user.id)


async def list_of_user(asked: Asked[Nothing, Nothing]) -> SignInList:
    return await _list(asked, (await user_in_path(asked)).user.id)


async def end(asked: Asked[Nothing, Nothing]) -> None:
    await _end(asked, asked.user.id)


async def end_of_user(asked: Asked[Nothing, Nothing]) -> None:
    await _end(asked, (await user_in_path(asked)).user.id)


async def _list(asked: Asked[Nothing, Nothing], user_id: UserId) -> SignInList:
    found = await sign_ins_of(asked.store.db, user_id)
    return SignInList(
        sign_ins=tuple(
            SignInView(
                id=each.id,
                method=each.method,
                current=each.id == asked.sign_in_id,
                created_at=rfc3339(each.created_at),
                used_at=rfc3339(each.used_at),
                ends_at=rfc3339(each.ends_at),
                address=each.browser.address,
                browser=each.browser.name,
            )
            for each in found
        )
    )


async def _end(asked: Asked[Nothing, Nothing], user_id: UserId) -> None:
    sign_in_id = asked.path["sign_in_id"]
    if not is_plain(sign_in_id) or not await end_sign_in(asked.store.db, user_id, sign_in_id, by=asked.by):
        raise NotFound("sign_in_not_found", f"There is no sign-in {sign_in_id!r}.")
    asked.server.access_changed(user_id)
