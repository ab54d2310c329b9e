"""chatd diff: what a turn has changed in files."""

from chatd.cli.chats.chat_id import find_chat, newest_prompt
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_json, say_on
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.checkpoints import Diff
from chatd.kit.text import one_line

TOO_LONG = "The diff of all files is too long. `--file PATH` shows the one of a file:"
INCOMPLETE = "Files of a step in between were not kept: changes are missing here, or are of other steps."


def run(*, chat_id: str, message_id: int | None, file: str | None, as_json: bool, **flags: object) -> None:
    diff = run_loop(_diff(client_from(flags), chat_id, message_id, file))
    if as_json:
        say_json(diff)
        return
    if diff.incomplete:
        say_aside(INCOMPLETE)
    if diff.too_long:
        say_aside(TOO_LONG)
        for each in diff.files:
            say(f"{each.deed:<8} {one_line(each.path)}")
        if diff.more_files:
            say(f"and {diff.more_files} more")
    elif diff.files:
        say_on(diff.diff)
    else:
        say_aside("No file was changed.")


async def _diff(client: AsyncClient, given: str, message_id: int | None, path: str | None) -> Diff:
    async with client:
        chat_id = await find_chat(client, given)
        message = message_id if message_id is not None else (await newest_prompt(client, chat_id)).id
        return await client.diff(chat_id, message, path=path)
