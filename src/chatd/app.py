"""Composition: settings in, a running server out. The only file that knows every part."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager

from chatd.accounts.admin import ensure_admin
from chatd.api.app import build
from chatd.api.server import address_of, bound, serve_http
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import SystemClock
from chatd.settings import Settings
from chatd.storage.data_dir import locked, open_data_dir
from chatd.storage.leases import forget_everyone
from chatd.storage.migrate import migrate
from chatd.storage.open import open_database, sqlite_path
from chatd.storage.queries import Dialect
from chatd.storage.transact import Store


async def serve(settings: Settings, *, ready: Callable[[str, str], None]) -> None:
    """Run until a signal says stop.

    `ready` is told the server's address and where the administrator's token is, once requests
    are answered. Raises Unusable when something stands in the way of that.
    """
    async with AsyncExitStack() as opened:
        stop = opened.enter_context(_stopped_by_signals())
        opened.enter_context(locked(open_data_dir(settings.data_dir), sqlite_path(settings.database)))
        # Before the database: a server that cannot listen should not migrate anything.
        listener = opened.enter_context(bound(settings.host, settings.port))
        db = await opened.enter_async_context(open_database(settings.database, SystemClock()))
        await migrate(db)
        token_place = await ensure_admin(db, settings.data_dir, settings.admin_token)
        if db.dialect is Dialect.SQLITE:
            await forget_everyone(db)
        await serve_http(
            build(Store(db, MemoryBus())),
            listener,
            stop=stop,
            ready=lambda: ready(address_of(settings.host, listener), token_place),
        )


@contextmanager
def _stopped_by_signals() -> Iterator[asyncio.Event]:
    """An event that is set when the operator, or whatever supervises us, asks us to stop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, stop.set)
    try:
        yield stop
    finally:
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
