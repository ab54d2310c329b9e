"""As whom a user is known elsewhere: at the identity provider, or to a proxy that signs people in."""

from collections.abc import Sequence

from msgspec import Struct

from chatd.domain.ids import Micros, UserId
from chatd.storage.database import Database, Pace

# Of one user. There are as many as providers were ever declared here.
LISTED_MAX = 100


class Identity(Struct, frozen=True, kw_only=True):
    issuer: str
    subject: str
    joined_at: Micros
    # None: not since this is noted, or it comes with each request.
    used_at: Micros | None


async def identities_of(db: Database, user_id: UserId) -> Sequence[Identity]:
    """In the order in which they were joined."""
    rows = await db.read(lambda tx: tx.all("identities_of_user", user_id, LISTED_MAX), pace=Pace.ONE_QUERY)
    return [
        Identity(issuer=issuer, subject=subject, joined_at=joined_at, used_at=used_at)
        for issuer, subject, joined_at, used_at in rows
    ]
