"""chatd link: a new one-time link, for when the one that `chatd serve` has printed was used or is too old."""

from collections.abc import Mapping

from chatd.app.browsers import sign_in_link
from chatd.cli.context import run_loop, settings_from
from chatd.cli.out import say, say_json
from chatd.errors import Unusable
from chatd.kit.clock import SystemClock
from chatd.settings import Settings
from chatd.storage.data_dir.server_address import read_address
from chatd.storage.open import open_existing


def run(flags: Mapping[str, object], *, as_json: bool) -> None:
    link = run_loop(_made(settings_from(flags)))
    if as_json:
        say_json({"link": link})
    else:
        say(link)


async def _made(settings: Settings) -> str:
    """No token is asked for: a user who can write the database can come in anyway."""
    address = settings.public_url or read_address(settings.data_dir)
    if address is None:
        raise Unusable(
            "No server runs with this data directory. Start it with `chatd serve`, which prints a link."
        )
    async with open_existing(settings.database, SystemClock()) as db:
        link = await sign_in_link(db, settings, address)
    if link is None:
        raise Unusable("There is no user `admin` yet. Start the server with `chatd serve`, which makes one.")
    return link
