"""Who is asking."""

from collections.abc import Callable

from starlette.datastructures import Headers

from chatd.accounts.tokens import hash_of
from chatd.accounts.users import User, user_of_hash
from chatd.errors import Unauthenticated
from chatd.storage.database import Database

HINT = "Send the header `Authorization: Bearer TOKEN`."
# Most requests follow another one with the same token. One that is withdrawn counts for this long at most.
KNOWN_SECONDS = 1.0
KNOWN_MAX = 1000


class Callers:
    """Finds users by their tokens, and remembers the found ones for a moment, by the hash of the token."""

    def __init__(self, db: Database, now_seconds: Callable[[], float]) -> None:
        self._db = db
        self._now_seconds = now_seconds
        # With the time at which each is forgotten, the oldest first.
        self._known: dict[str, tuple[float, User]] = {}

    async def caller_of(self, headers: Headers) -> User:
        """Raises Unauthenticated when the token is missing or no user has it."""
        header = headers.get("authorization", "")
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Unauthenticated("unauthenticated", "This request carries no token.", hint=HINT)
        user = await self._user(hash_of(token.strip()))
        if user is None:
            raise Unauthenticated(
                "unauthenticated",
                "This token is not valid.",
                hint="It may have been replaced; the administrator's is in the server's data directory.",
            )
        return user

    async def _user(self, token_hash: str) -> User | None:
        until, user = self._known.get(token_hash, (0.0, None))
        now = self._now_seconds()
        if user is not None and now < until:
            return user
        self._known.pop(token_hash, None)
        found = await user_of_hash(self._db, token_hash)
        # Only tokens that exist: what a stranger sends takes no room.
        if found is not None:
            while len(self._known) >= KNOWN_MAX:
                del self._known[next(iter(self._known))]
            self._known[token_hash] = now + KNOWN_SECONDS, found
        return found
