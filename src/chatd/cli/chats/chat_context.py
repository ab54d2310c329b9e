"""chatd context: what the agent of a chat is told of its workspace."""

from collections.abc import Iterator

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.chats.local_time import local_time
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_json, table
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Context, Resource
from chatd.kit.text import one_line, shortened

# Of what is wrong with a file, or what a skill is about.
NOTE_WIDTH = 80
_KINDS = {"instruction_file": "instructions", "skill": "skill", "mcp_config": "MCP servers"}


def run(*, chat_id: str, refresh: bool, as_json: bool, **flags: object) -> None:
    context = run_loop(_ask(client_from(flags), chat_id, refresh=refresh))
    if as_json:
        say_json(context)
        return
    for line in _lines(context):
        say(line)
    if context.dirty_since is not None:
        say_aside(
            f"The workspace tells something else since {context.dirty_since}; --refresh has it read anew."
        )
    if context.truncated:
        say_aside("There are more files than agents can be told of.")


async def _ask(client: AsyncClient, chat_id: str, *, refresh: bool) -> Context:
    async with client:
        found = await find_chat(client, chat_id)
        return await (client.refresh_context(found) if refresh else client.context(found))


def _lines(context: Context) -> Iterator[str]:
    if context.workspace is None:
        yield "Nothing is pinned: the chat has no workspace, or the agent has not begun to work in it."
        return
    yield f"{one_line(context.workspace)}, as it was at {local_time(context.pinned_at)}"
    if not context.resources:
        yield "It has no instruction files and no skills."
        return
    rows = [_row(each) for each in context.resources]
    yield from table(("KIND", "STATUS", "BYTES", "FILE", ""), rows)


def _row(resource: Resource) -> tuple[str, ...]:
    note = resource.error or resource.skill_description or ""
    return (
        _KINDS.get(resource.kind, resource.kind),
        resource.status,
        str(resource.size_bytes),
        one_line(resource.source),
        shortened(one_line(note), NOTE_WIDTH),
    )
