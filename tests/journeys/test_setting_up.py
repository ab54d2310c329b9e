"""What a chat is set up with lasts, over HTTP with a real server process that is killed in between."""

from pathlib import Path

from tests.journeys.server import is_idle, served, transcript, until


async def test_what_a_chat_and_its_queued_message_are_set_up_with_survives_a_kill(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        async with server.client() as client:
            chat = await client.create_chat(
                'call @w wait {"seconds": 2}\nnext\nsay Done.',
                instructions="Be brief.",
                client_tools=[{"name": "open_tab"}],
                client_deadline_seconds=None,
            )
            later = "call @t open_tab {}\nnext\nsay Opened."
            sent = await client.send(chat.id, later, instructions="Be long.", options={"temperature": 0.5})
            assert sent.queued
            assert (await client.chat(chat.id)).instructions == "Be brief."
        await server.kill()
        await server.start()
        async with server.client() as client:
            waiting = await until(client, chat.id, lambda c: c.status == "requires_action")

            assert (waiting.instructions, waiting.options) == ("Be long.", {"temperature": 0.5})
            assert [tool["name"] for tool in waiting.client_tools] == ["open_tab"]
            assert [each.deadline for each in waiting.waiting_for] == [None]
            await client.submit(
                chat.id, results=[{"tool_call_id": "t", "output": 1}], client_tools=[], instructions=""
            )
            rested = await until(client, chat.id, is_idle)
            assert (rested.instructions, rested.client_tools) == ("", ())
            assert (await transcript(client, chat.id))[-1] == "assistant: Opened."
