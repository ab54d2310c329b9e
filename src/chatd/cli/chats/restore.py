"""chatd restore: bring files back as they were before a message."""

import sys
from collections.abc import Callable

from chatd.cli.chats.chat_id import find_chat, newest_prompt
from chatd.cli.context import run_loop
from chatd.cli.out import agreed, say, say_aside, say_json
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.checkpoints import Restored
from chatd.errors import Misconfigured
from chatd.kit.text import one_line

FAILED = 1
# Of these, the names are shown.
SHOWN_MAX = 100


def run(
    *,
    chat_id: str,
    message_id: int | None,
    undo: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    **flags: object,
) -> None:
    if undo and message_id is not None:
        raise Misconfigured("Name a message, or say --undo: an undo takes the last restore back.")
    if not (yes or dry_run or sys.stdin.isatty()):
        raise Misconfigured("This overwrites files. Say --yes if no person can be asked, or --dry-run.")
    planned, chat, message = run_loop(_plan(client_from(flags), chat_id, message_id, undo=undo))
    if not (yes or dry_run or _is_wanted(planned, say_aside if as_json else say)):
        return
    done = planned if dry_run else run_loop(_restore(client_from(flags), chat, message))
    if as_json:
        say_json(done)
    elif dry_run or yes:
        _show(done, say)
    if not dry_run and done.files and not as_json:
        say(f"Done. `chatd restore {chat} --undo` takes it back.")
    for file in done.failed:
        say_aside(f"left as it is: {one_line(file.path)}: {one_line(file.reason)}")
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


async def _plan(
    client: AsyncClient, given: str, message_id: int | None, *, undo: bool
) -> tuple[Restored, str, int | None]:
    """What would be done, and the chat and the message that are meant."""
    async with client:
        chat_id = await find_chat(client, given)
        if undo:
            return await client.undo_restore(chat_id, dry_run=True), chat_id, None
        message = message_id if message_id is not None else await newest_prompt(client, chat_id)
        return await client.restore(chat_id, message, dry_run=True), chat_id, message


async def _restore(client: AsyncClient, chat_id: str, message_id: int | None) -> Restored:
    async with client:
        if message_id is None:
            return await client.undo_restore(chat_id)
        return await client.restore(chat_id, message_id)


def _show(restored: Restored, say: Callable[[str], None]) -> None:
    if not restored.files:
        say("The files are so already; there is nothing to do.")
    for file in restored.files[:SHOWN_MAX]:
        say(f"{file.deed:<8} {one_line(file.path)}")
    more = len(restored.files[SHOWN_MAX:]) + restored.more_files
    if more:
        say(f"and {more} more")
