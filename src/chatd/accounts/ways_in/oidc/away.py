"""Browsers that are away at the provider: what is kept of each until it comes back, or for ten minutes.

Anybody may begin to sign in, so all of this is bounded. No newcomer is turned away: of one address the oldest
goes, and when there are too many in all, the oldest of the addresses that have most. So those who begin from
few addresses, however often, only stand in their own way.
"""

from msgspec import Struct

from chatd.accounts.tokens.tokens import hash_of
from chatd.domain.ids import UserId
from chatd.storage.database import Connection, Database

STATE_SECONDS = 600
_STATE_MICROS = STATE_SECONDS * 1_000_000


class AwayLimits(Struct, frozen=True, kw_only=True):
    """How many may be away at once: in all, and from one address."""

    in_all: int = 10_000
    of_network: int = 100
    # How many make room at once: it takes a look at all of them.
    leave_at_once: int = 20


AWAY_LIMITS = AwayLimits()


class Begun(Struct, frozen=True, kw_only=True):
    """What a browser has to come back to."""

    issuer: str
    return_to: str
    # Who is to be known at the provider from then on; None: whoever signs in there.
    link_to: UserId | None = None


async def keep_begun(
    db: Database,
    begun: Begun,
    *,
    state: str,
    secret: str,
    network: str,
    limits: AwayLimits = AWAY_LIMITS,
) -> None:
    """`network` is where the browser is, `secret` what its cookie holds."""
    row = (
        hash_of(state),
        hash_of(secret),
        begun.issuer,
        begun.return_to,
        begun.link_to,
        _STATE_MICROS,
        network,
    )

    async def body(tx: Connection) -> None:
        await tx.run("delete_expired_oidc_states")
        await tx.run("delete_oldest_oidc_states_of_network", network, limits.of_network - 1)
        count = await tx.one("count_oidc_states", limits.in_all)
        if count is not None and count[0] >= limits.in_all:
            await tx.run("delete_oldest_oidc_states_of_most", limits.leave_at_once)
        await tx.run("insert_oidc_state", *row)

    await db.write(body)


async def take_begun(db: Database, *, state: str, secret: str) -> Begun | None:
    """Once, and only in the browser that began it. None: it is not there, or is over."""

    async def body(tx: Connection) -> Begun | None:
        row = await tx.one("take_oidc_state", hash_of(state), hash_of(secret))
        return Begun(issuer=row[0], return_to=row[1], link_to=row[2]) if row is not None else None

    return await db.write(body)
