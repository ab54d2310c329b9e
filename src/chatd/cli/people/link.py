"""chatd user link: a one-time link for a user, also when the server is stopped and nobody can get in."""

import os
from collections.abc import Mapping

from chatd.accounts.users import user_named as user_in
from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.cli.context import run_loop, settings_from
from chatd.cli.out import say, say_aside, say_json
from chatd.cli.people.named import with_user
from chatd.cli.people.user import link_at
from chatd.domain.people.roles import UserKind
from chatd.errors import Unusable
from chatd.kit.clock import SystemClock
from chatd.settings import Settings
from chatd.storage.data_dir.server_address import read_address
from chatd.storage.open import open_existing


def run(*, name: str, as_json: bool, **flags: object) -> None:
    stopped = _stopped(flags)
    if stopped is not None:
        code = run_loop(_code(stopped, name))
    else:
        code = run_loop(with_user(flags, name, lambda client, user: client.sign_in_code(user.id))).code
    link = link_at(flags, code)
    if as_json:
        say_json({"link": link})
        return
    say(link)
    if stopped is not None:
        say_aside("The server is stopped. Start it, and open the link within an hour.")


def _stopped(flags: Mapping[str, object]) -> Settings | None:
    """The settings of the server of this machine, if that is the one that is meant and it does not run."""
    if any(flags.get(name) for name in ("url", "token")) or any(map(os.environ.get, _NAMED)):
        return None
    settings = settings_from({name: flags.get(name) for name in ("config", "data_dir")})
    return settings if read_address(settings.data_dir) is None else None


# By these a command is told of a server that runs.
_NAMED = ("CHATD_URL", "CHATD_TOKEN")


async def _code(settings: Settings, name: str) -> str:
    """No token is asked for: who can write the database can come in anyway."""
    async with open_existing(settings.database, SystemClock()) as db:
        user = await user_in(db, name)
        if user is None or user.kind is not UserKind.PERSON:
            raise Unusable(f"There is no user {name!r} who signs in.")
        return await new_code(db, user.id, Purpose.RECOVER)
