"""chatd prompt: what the model of a chat would be told now, before all that was said."""

from collections.abc import Iterator

from chatd.cli.chats.chat_id import find_chat
from chatd.cli.context import run_loop
from chatd.cli.out import say, say_json, table
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import Prompt
from chatd.kit.text import one_line, shortened

DESCRIPTION_WIDTH = 80


def run(*, chat_id: str, as_json: bool, **flags: object) -> None:
    prompt = run_loop(_ask(client_from(flags), chat_id))
    if as_json:
        say_json(prompt)
        return
    for line in _lines(prompt):
        say(line)


async def _ask(client: AsyncClient, chat_id: str) -> Prompt:
    async with client:
        return await client.prompt(await find_chat(client, chat_id))


def _lines(prompt: Prompt) -> Iterator[str]:
    yield (
        f"{prompt.model} is told about {prompt.tokens:,} tokens first, "
        f"and then about {prompt.history_tokens:,} of what was said."
    )
    for part in prompt.parts:
        yield f"\n===== {part.name}: {part.tokens:,} tokens =====\n{part.text}"
    if prompt.tools:
        yield f"\n===== tools: {sum(tool.tokens for tool in prompt.tools):,} tokens ====="
        rows = [
            (tool.name, f"{tool.tokens:,}", shortened(one_line(tool.description), DESCRIPTION_WIDTH))
            for tool in prompt.tools
        ]
        yield from table(("TOOL", "TOKENS", ""), rows)
