"""Stories of the advisor: a real server, viewers, a kill in the middle, and an administrator's switch."""

import asyncio
import json
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

from chatd.agent.advisor.words import GUIDANCE
from chatd.client.asynchronous import AsyncClient
from chatd.client.events import PartSpoken
from tests.journeys.server import PATIENCE_SECONDS, is_idle, served, transcript, until
from tests.journeys.workspace.working import results
from tests.traceability import proves


def asking(*questions: str) -> str:
    steps = [f"call @c{n} advisor {json.dumps({'question': each})}" for n, each in enumerate(questions)]
    return "\nnext\n".join([*steps, "say Done."])


async def seen(client: AsyncClient, chat_id: str, enough: Callable[[str], bool]) -> str:
    """What a viewer who joins now is shown of the advice, until it is enough."""
    shown = ""
    async with asyncio.timeout(PATIENCE_SECONDS), aclosing(client.stream(chat_id)) as events:
        async for event in events:
            if isinstance(event, PartSpoken) and event.part.result_delta is not None:
                shown = (
                    event.part.result_delta if event.part.result_reset else shown + event.part.result_delta
                )
            if enough(shown):
                break
    return shown


@proves("advisor", 34)
async def test_a_viewer_who_joins_in_the_middle_is_shown_the_advice_from_its_beginning(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as server, server.client() as client:
        await client.set_advisor(enabled=True)
        chat = await client.create_chat(asking("say First.\nwait 1\nsay Last.\nwait 3600"))

        first = await seen(client, chat.id, lambda shown: "First." in shown)
        late = await seen(client, chat.id, lambda shown: "Last." in shown)

        assert "Last." not in first
        assert late == "First.\nLast."
        await client.interrupt(chat.id)
        await until(client, chat.id, is_idle)
        assert (await transcript(client, chat.id))[-1] == "tool: c0 failed"


async def test_a_server_that_is_killed_while_it_is_asked_asks_again_and_counts_what_was_used(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as server, server.client() as client:
        await client.set_advisor(enabled=True, max_uses_per_turn=2)
        slow = "say Second.\nwait 5"
        chat = await client.create_chat(asking("say First.", slow, "say Third."))
        await seen(client, chat.id, lambda shown: "Second." in shown)

        await server.kill()
        await server.start()
        await until(client, chat.id, is_idle)

        told = await results(client, chat.id)
        assert [(each["type"], each["advice"]) for each in told.values()][:2] == [
            ("advice", "First."),
            ("advice", "Second."),
        ]
        assert [each["remaining_uses"] for each in told.values()] == [1, 0, 0]
        assert told["c2"]["type"] == "limit_reached"
        assert (await transcript(client, chat.id))[-1] == "assistant: Done."


@proves("advisor", 1, 2, 3, 38)
async def test_the_tool_and_the_guidance_come_and_go_together_from_turn_to_turn(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat(asking("say First."))
        await until(client, chat.id, is_idle)
        assert "Tool not found" in (await results(client, chat.id))["c0"]["error"]
        assert await offered(client, chat.id) == (False, False)

        await client.set_advisor(enabled=True)
        assert await offered(client, chat.id) == (True, True)
        await client.send(chat.id, asking("say First.").replace("c0", "d0"))
        await until(client, chat.id, is_idle)
        assert (await results(client, chat.id))["d0"]["advice"] == "First."

        planning = await client.create_chat("say Hello.", mode="plan")
        await until(client, planning.id, is_idle)
        assert await offered(client, planning.id) == (False, False)

        await client.set_advisor(enabled=False)
        assert await offered(client, chat.id) == (False, False)


async def offered(client: AsyncClient, chat_id: str) -> tuple[bool, bool]:
    """Whether its model is told of the tool, and how to use it."""
    told = await client.prompt(chat_id)
    tools, texts = {tool.name for tool in told.tools}, {part.text for part in told.parts}
    return "advisor" in tools, GUIDANCE in texts
