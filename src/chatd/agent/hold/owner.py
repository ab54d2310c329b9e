"""The gate before models and tools: nothing begins for an owner who is suspended, deleted or a viewer.

Who shuts somebody out first writes that down, and then stops their agents. A server that dies in between
stops none; so each agent looks for itself. Every transaction tells it for free, under the lock of the chat.
After a while without one, as behind a long wait for a slot, it is read.
"""

from chatd.accounts.lives.lives import is_shut_out
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import UserId
from chatd.errors import ProviderError
from chatd.kit.clock import Clock
from chatd.storage.database import Database

OWNER_SUSPENDED = "owner_suspended"
# How long what a transaction has seen counts.
KNOWN_SECONDS = 1.0


async def check_served(db: Database, owner_id: UserId) -> None:
    """Raises ProviderError when agents are to do nothing for this user now."""
    if await is_shut_out(db, owner_id):
        raise _rests()


class OwnerGate:
    """What one runner knows of the owner of its chat."""

    def __init__(self, db: Database, clock: Clock, locked: LockedChat) -> None:
        self._db = db
        self._clock = clock
        self.see(locked)

    def see(self, locked: LockedChat) -> None:
        """As a transaction has just found it."""
        self._shut_out = locked.owner_shut_out
        self._seen_at = self._clock.monotonic()

    async def check(self, owner_id: UserId) -> None:
        """Raises ProviderError when nothing is to begin for the owner now."""
        if self._clock.monotonic() - self._seen_at >= KNOWN_SECONDS:
            self._shut_out = await is_shut_out(self._db, owner_id)
            self._seen_at = self._clock.monotonic()
        if self._shut_out:
            raise _rests()


def _rests() -> ProviderError:
    return ProviderError(
        OWNER_SUSPENDED, "The owner of this chat may have no agents work now, so this one rests."
    )
