"""Stories of what is larger than the window: the model is shown a part, and the agent reads the rest."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chatd.client.asynchronous import AsyncClient
from tests.fake_provider.places import KEY
from tests.fake_provider.script import Call, answer, say
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.wires.wire import Asked
from tests.journeys.server import is_idle, served, until

WINDOW_TOKENS = 20_000
SETTINGS = """\
[[providers]]
name = "desk"
type = "openai-compatible"
base_url = "{address}/v1"
api_key = "{key}"

[[models]]
provider = "desk"
model = "one"
context_limit = {limit}
compression_threshold = {threshold}
default = true
"""
# Both together are more than two windows.
FILLER = "lorem ipsum " * 8_000
LONG = f"{FILLER} The harbour is Oslo. {FILLER}"
FETCH = {"name": "fetch", "description": "Fetch it.", "input_schema": {"type": "object", "properties": {}}}


@asynccontextmanager
async def a_server(folder: Path, fake: FakeProvider, *, threshold: int = 70) -> AsyncIterator[AsyncClient]:
    settings = SETTINGS.format(address=fake.address, key=KEY, limit=WINDOW_TOKENS, threshold=threshold)
    (folder / "chatd.toml").write_text(settings)
    async with (
        served(folder, env={"CHATD_CONFIG": str(folder / "chatd.toml")}) as server,
        server.client() as client,
    ):
        yield client


def reading(message_id: int) -> Any:
    """The middle of a message."""
    args = {"message_id": message_id, "offset": len(FILLER), "length": 1000}
    return answer(Call("read", "read_message", args))


def offered(asked: Asked) -> set[str]:
    return {tool["function"]["name"] for tool in asked.body["tools"]}


def replies(fake: FakeProvider) -> list[Asked]:
    """What is written about a chat after its turn has no use for tools."""
    return [asked for asked in fake.asked if "tools" in asked.body]


async def test_an_agent_reads_the_middle_of_a_message_that_is_larger_than_the_window(tmp_path: Path) -> None:
    async with FakeProvider(reading(1), answer(say("Oslo."))) as fake:
        async with a_server(tmp_path, fake) as client:
            chat = await client.create_chat(LONG, title="Harbours")
            await until(client, chat.id, is_idle)
        first, second = replies(fake)

    assert len(first.raw) < WINDOW_TOKENS * 4
    assert b"of message 1 left out; read_message reads them" in first.raw
    assert "read_message" in offered(first)
    assert b"Oslo" not in first.raw
    assert b"Oslo" in second.raw


@pytest.mark.parametrize("threshold", [70, 100])
async def test_an_agent_reads_the_middle_of_a_long_result_in_the_same_turn(
    tmp_path: Path, threshold: int
) -> None:
    """Also where nothing is summarized by itself."""
    calls = answer(*(Call(f"f{n}", "fetch", {}) for n in range(4)))
    async with FakeProvider(calls, otherwise=lambda _: answer(say("Summed up."))) as fake:
        async with a_server(tmp_path, fake, threshold=threshold) as client:
            chat = await client.create_chat("Fetch it.", title="Harbours", client_tools=[FETCH])
            waiting = await until(client, chat.id, lambda chat: chat.status == "requires_action")
            for each in waiting.waiting_for:
                result = {"tool_call_id": each.tool_call_id, "message_id": each.message_id, "output": LONG}
                await client.submit(chat.id, results=[result])
            await until(client, chat.id, is_idle)
        *_, last = replies(fake)

    assert b"read_message" in last.raw
    assert "read_message" in offered(last)
