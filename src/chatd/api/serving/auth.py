"""Who is asking."""

from starlette.datastructures import Headers

from chatd.accounts.users import User, user_of_token
from chatd.errors import Unauthenticated
from chatd.storage.database import Database

HINT = "Send the header `Authorization: Bearer TOKEN`."


async def caller_of(db: Database, headers: Headers) -> User:
    """Raises Unauthenticated when the token is missing or no user has it."""
    header = headers.get("authorization", "")
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated("unauthenticated", "This request carries no token.", hint=HINT)
    user = await user_of_token(db, token.strip())
    if user is None:
        raise Unauthenticated(
            "unauthenticated",
            "This token is not valid.",
            hint="It may have been replaced; the administrator's is in the server's data directory.",
        )
    return user
