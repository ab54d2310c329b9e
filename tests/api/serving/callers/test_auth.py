"""Who is asking: tokens are looked up in the database, and remembered for a moment."""

import pytest
from starlette.datastructures import Headers

from chatd.accounts.tokens.tokens import create_token
from chatd.accounts.users import create_user
from chatd.api.serving.callers.auth import KNOWN_SECONDS, Callers
from chatd.api.serving.limits.admission import REQUEST_LIMITS
from chatd.api.serving.limits.attempts import Attempts
from chatd.api.serving.origins.sites import Sites
from chatd.domain.ids import UserId
from chatd.domain.people.roles import UserRole
from chatd.errors import Unauthenticated
from chatd.live.streams import Streams
from chatd.storage.database import Database
from chatd.storage.transactions.transact import Store
from tests.clock import HurriedClock, MovedClock
from tests.support.watched_database import WatchedDatabase


class Watch:
    """Seconds, moved by the test."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def attempts(watch: Watch) -> Attempts:
    return Attempts(REQUEST_LIMITS, watch, HurriedClock().sleep)


HTTP = {"type": "http", "method": "GET"}


def bearing(token: str) -> Headers:
    return Headers({"authorization": f"Bearer {token}"})


async def withdraw_all(db: Database, user_id: UserId) -> None:
    await db.write(lambda tx: tx.run("delete_other_tokens_named", user_id, "test", "none"))


async def test_a_withdrawn_token_counts_for_a_moment_and_then_no_more(store: Store, owner: UserId) -> None:
    watch = Watch()
    callers = Callers(store.db, watch, Sites(), attempts=attempts(watch))
    token = await create_token(store.db, owner, "test")
    assert (await callers.caller_of(HTTP, bearing(token))).user.id == owner

    await withdraw_all(store.db, owner)
    watch.now = KNOWN_SECONDS / 2
    assert (await callers.caller_of(HTTP, bearing(token))).user.id == owner

    watch.now = KNOWN_SECONDS
    with pytest.raises(Unauthenticated):
        await callers.caller_of(HTTP, bearing(token))


async def test_a_change_of_one_user_makes_nobody_else_be_looked_up_again(
    store: Store, clock: MovedClock, owner: UserId
) -> None:
    watch, streams, db = Watch(), Streams(clock), WatchedDatabase(store.db)
    callers = Callers(db, watch, Sites(), streams, attempts=attempts(watch))
    anna = await create_user(store.db, "anna", UserRole.MEMBER)
    theirs, hers = [await create_token(store.db, each, "test") for each in (owner, anna.id)]
    for token in (theirs, hers):
        await callers.caller_of(HTTP, bearing(token))
    before = db.reads

    await withdraw_all(store.db, anna.id)
    streams.ask_again(anna.id)

    assert (await callers.caller_of(HTTP, bearing(theirs))).user.id == owner
    assert db.reads == before
    with pytest.raises(Unauthenticated):
        await callers.caller_of(HTTP, bearing(hers))
