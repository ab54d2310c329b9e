"""Stopping the agents of somebody for whom nothing more is to be done."""

from contextlib import suppress

from chatd.accounts.lives import working_roots_of
from chatd.domain.ids import UserId
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import NotAllowed, NotFound
from chatd.storage.transactions.families import interrupt_family
from chatd.storage.transactions.transact import Store


async def stop_agents(store: Store, user_id: UserId) -> None:
    """Theirs, and those of the end users of a service. What they have said is kept."""
    after = ""
    while roots := await working_roots_of(store.db, user_id, after=after):
        for root_id in roots:
            # It may have come to rest by itself, or be gone.
            with suppress(NotAllowed, NotFound):
                await interrupt_family(store, root_id, Interrupt())
        after = roots[-1]
