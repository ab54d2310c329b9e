"""chatd restore: bring files back as they were before a message."""

import sys
from collections.abc import Callable

from msgspec import Struct

from chatd.cli.chats.chat_id import find_chat, newest_prompt
from chatd.cli.context import run_loop
from chatd.cli.out import agreed, say, say_aside, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.checkpoints import Restored
from chatd.errors import Misconfigured
from chatd.kit.text import one_line, shortened

FAILED = 1
# Of these, the names are shown.
SHOWN_MAX = 100
# Of the message that is gone back before.
WORDS_LENGTH_MAX = 60


class Planned(Struct, frozen=True, kw_only=True):
    """What would be done, where, and how it is told. Without a message it is an undo."""

    chat_id: str
    message_id: int | None
    path: str | None
    heading: str
    restored: Restored


def run(
    *,
    chat_id: str,
    message_id: int | None,
    file: str | None,
    undo: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    **flags: object,
) -> None:
    if undo and (message_id is not None or file is not None):
        raise Misconfigured("Name a message or a file, or say --undo: an undo takes the last restore back.")
    if not (yes or dry_run or sys.stdin.isatty()):
        raise Misconfigured("This overwrites files. Say --yes if no person can be asked, or --dry-run.")
    client = client_from(flags)
    planned = run_loop(_plan_undo(client, chat_id) if undo else _plan(client, chat_id, message_id, file))
    say_aside(planned.heading)
    if not (yes or dry_run or _is_wanted(planned.restored, say_aside if as_json else say)):
        return
    done = planned.restored if dry_run else run_loop(_restore(client_from(flags), planned))
    if as_json:
        say_json(done)
    elif dry_run or yes:
        _show(done, say)
    if not dry_run and done.files and not as_json:
        say(f"Done. `chatd restore {planned.chat_id} --undo` takes it back.")
    for left in done.failed:
        say_aside(f"left as it is: {one_line(left.path)}: {one_line(left.reason)}")
    if done.failed and not dry_run:
        sys.exit(FAILED)


def _is_wanted(planned: Restored, say: Callable[[str], None]) -> bool:
    _show(planned, say)
    if not planned.files:
        return False
    is_wanted = agreed("Bring these files back?")
    if not is_wanted:
        say_aside("Nothing was changed.")
    return is_wanted


async def _plan(client: AsyncClient, given: str, message_id: int | None, path: str | None) -> Planned:
    async with client:
        chat_id = await find_chat(client, given)
        words = ""
        if message_id is None:
            prompt = await newest_prompt(client, chat_id)
            message_id = prompt.id
            words = f", your last one: {shortened(one_line(prompt.text), WORDS_LENGTH_MAX)}"
        what = "All files of the workspace" if path is None else one_line(path)
        return Planned(
            chat_id=chat_id,
            message_id=message_id,
            path=path,
            heading=f"{what}, as before message {message_id}{words}",
            restored=await client.restore(chat_id, message_id, path=path, dry_run=True),
        )


async def _plan_undo(client: AsyncClient, given: str) -> Planned:
    async with client:
        chat_id = await find_chat(client, given)
        return Planned(
            chat_id=chat_id,
            message_id=None,
            path=None,
            heading="All files of the workspace, as before the last restore",
            restored=await client.undo_restore(chat_id, dry_run=True),
        )


async def _restore(client: AsyncClient, planned: Planned) -> Restored:
    async with client:
        if planned.message_id is None:
            return await client.undo_restore(planned.chat_id)
        return await client.restore(planned.chat_id, planned.message_id, path=planned.path)


def _show(restored: Restored, say: Callable[[str], None]) -> None:
    if not restored.files:
        say("The files are so already; there is nothing to do.")
    for file in restored.files[:SHOWN_MAX]:
        say(f"{file.deed:<8} {one_line(file.path)}")
    more = len(restored.files[SHOWN_MAX:]) + restored.more_files
    if more:
        say(f"and {more} more")
