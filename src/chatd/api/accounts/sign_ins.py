"""The browsers in which a user is signed in."""

from chatd.accounts.ways_in.sign_ins import end_sign_in, sign_ins_of
from chatd.api.accounts.bodies import SignInList, SignInView
from chatd.api.bodies import Nothing
from chatd.api.router import Asked
from chatd.errors import NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain


async def list_(asked: Asked[Nothing, Nothing]) -> SignInList:
    found = await sign_ins_of(asked.store.db, asked.user.id)
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


async def end(asked: Asked[Nothing, Nothing]) -> None:
    sign_in_id, user_id = asked.path["sign_in_id"], asked.user.id
    if not is_plain(sign_in_id) or not await end_sign_in(asked.store.db, user_id, sign_in_id, by=asked.by):
        raise NotFound("sign_in_not_found", f"You have no sign-in {sign_in_id!r}.")
    asked.server.access_changed(asked.user.id)
