"""chatd model forget-keys: remove the keys that can no longer be unsealed."""

from collections.abc import Mapping

from chatd.catalog.keys.keys import Keys
from chatd.catalog.keys.secrets import read_or_make
from chatd.catalog.models.declared import Declared
from chatd.cli.context import run_loop, settings_from
from chatd.cli.out import say
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import SystemClock
from chatd.settings import Settings
from chatd.storage.open import open_existing
from chatd.storage.transactions.transact import Store


def run(flags: Mapping[str, object]) -> None:
    run_loop(_forget(settings_from(flags)))
    say("Done. Give the providers their keys again.")


async def _forget(settings: Settings) -> None:
    async with open_existing(settings.database, SystemClock()) as db:
        secrets = read_or_make(settings.data_dir, settings.secret_key)
        await Keys(Store(db, MemoryBus()), Declared(), secrets).forget_unreadable_keys()
