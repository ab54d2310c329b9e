"""Which declarations of workspaces a user trusts: of each directory one, and that very content."""

from chatd.domain.ids import UserId
from chatd.errors import LimitReached
from chatd.kit.codec import to_column
from chatd.storage.database import Connection, Database, Pace

TRUSTED_MAX = 1000


class TrustStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def digest_of(self, user_id: UserId, root: str) -> str | None:
        """The digest of the declaration that this user trusts in this directory."""
        place = to_column(root)
        row = await self._db.read(lambda tx: tx.one("mcp_trust_of", user_id, place), pace=Pace.ONE_QUERY)
        return str(row[0]) if row is not None else None

    async def trust(self, user_id: UserId, root: str, digest: str) -> None:
        """Instead of what was trusted in this directory before. Raises LimitReached."""
        place = to_column(root)

        async def body(tx: Connection) -> None:
            row = await tx.one("count_other_mcp_trusts", user_id, place)
            assert row is not None
            if row[0] >= TRUSTED_MAX:
                raise LimitReached(
                    "too_many_trusted", "You trust the servers of too many directories.", limit=TRUSTED_MAX
                )
            await tx.run("write_mcp_trust", user_id, place, digest)

        await self._db.write(body)

    async def withdraw(self, user_id: UserId, root: str) -> None:
        """Nothing of this directory is trusted any more."""
        await self._db.write(lambda tx: tx.run("delete_mcp_trust", user_id, to_column(root)))
