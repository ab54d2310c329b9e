"""Stopping the agents of somebody for whom nothing more is to be done."""

from collections.abc import Iterable
from contextlib import suppress

from chatd.accounts.lives.lives import WORKING_MAX, working_roots_of
from chatd.domain.ids import ChatId, UserId
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.errors import NotAllowed, NotFound
from chatd.storage.transactions.families import interrupt_family
from chatd.storage.transactions.transact import Store


async def stop_agents(store: Store, user_id: UserId) -> None:
    """Theirs, and those of the end users of a service. What they have said is kept."""
    after = ""
    while roots := await working_roots_of(store.db, user_id, after=after):
        await _stop(store, roots)
        after = roots[-1]


async def stop_agents_of_shut_out(store: Store) -> None:
    """Of all who were shut out: the server that did it may have died before it stopped their agents."""
    rows = await store.db.read(lambda tx: tx.all("working_roots_of_shut_out", WORKING_MAX))
    await _stop(store, [ChatId(row[0]) for row in rows])


async def _stop(store: Store, roots: Iterable[ChatId]) -> None:
    for root_id in roots:
        # It may have come to rest by itself, or be gone.
        with suppress(NotAllowed, NotFound):
            await interrupt_family(store, root_id, Interrupt())
