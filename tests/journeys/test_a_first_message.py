"""Stories over HTTP, with a real server process and the scripted model."""

from pathlib import Path

import pytest

from chatd.client.errors import ApiError
from chatd.client.events import MessageSaved, PartSpoken, StatusChanged
from tests.journeys.server import is_idle, served, transcript, until

BUSY = "stream 2000 words at 200 per second"


async def test_a_message_is_answered_live_and_then_saved(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat("think Hm.\nsay Hello there.")
        live, saved = "", []
        async for event in client.stream(chat.id):
            match event:
                case PartSpoken(part=part) if part.type == "text":
                    live += part.text or ""
                case MessageSaved(message=message):
                    saved.append(message.role)
                case StatusChanged(status="waiting"):
                    break
                case _:
                    pass

        assert live == "Hello there."
        assert saved == ["user", "assistant"]


async def test_sending_while_busy_waits_steers_or_interrupts(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat('call @w wait {"seconds": 1}\nnext\n' + BUSY)
        await until(client, chat.id, lambda c: c.status == "running")
        queued = await client.send(chat.id, "say Queued.")
        steered = await client.send(chat.id, BUSY, when="steer")
        assert (queued.queued, steered.queued) == (True, True)
        while len(await transcript(client, chat.id)) < 4:
            await until(client, chat.id, lambda c: len(c.queue) == 1)
        await client.send(chat.id, "say Interrupted.", when="interrupt")
        await until(client, chat.id, is_idle)

        lines = await transcript(client, chat.id)
        assert lines[2] == "tool: w answered"
        assert lines[3] == f"user: {BUSY}"
        assert lines[-4:] == [
            "user: say Queued.", "assistant: Queued.", "user: say Interrupted.", "assistant: Interrupted.",
        ]  # fmt: skip


async def test_an_edit_starts_anew_and_the_old_branch_can_be_read(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat("say One.")
        await until(client, chat.id, is_idle)
        edited = await client.edit(chat.id, 1, "say Two.")
        await until(client, chat.id, is_idle)

        assert set(edited.deleted_message_ids) == {1, 2}
        assert await transcript(client, chat.id) == ["user: say Two.", "assistant: Two."]
        await client.switch_branch(chat.id, 1)
        assert await transcript(client, chat.id) == ["user: say One.", "assistant: One."]


async def test_a_stop_keeps_what_was_said_and_the_results_that_exist(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat('call @quick echo {"text": "x"}\ncall @slow wait {"seconds": 600}')
        async for event in client.stream(chat.id):
            if isinstance(event, MessageSaved) and event.message.role == "assistant":
                break
        await server.until_ran("wait")
        await client.interrupt(chat.id)
        await until(client, chat.id, is_idle)

        assert (await transcript(client, chat.id))[-2:] == ["tool: quick answered", "tool: slow failed"]


async def test_a_failure_is_shown_and_can_be_tried_again(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat("fail auth")
        failed = await until(client, chat.id, lambda c: c.status == "error")
        assert failed.last_error is not None
        assert failed.last_error.kind == "auth"

        await client.send(chat.id, "say Fine now.")
        await until(client, chat.id, is_idle)
        assert (await transcript(client, chat.id))[-1] == "assistant: Fine now."


async def test_a_client_runs_its_own_tools(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat(
            "call @t open_tab {}\nnext\nsay Opened.",
            client_tools=[{"name": "open_tab", "description": "Opens a tab."}],
        )
        kinds = set()
        async for event in client.stream(chat.id):
            match event:
                case PartSpoken(part=part) if part.type == "tool-call":
                    kinds.add(part.kind)
                case MessageSaved(message=message) if message.role == "assistant":
                    kinds.add(message.content[0].kind)
                case StatusChanged(status="requires_action"):
                    break
                case _:
                    pass
        assert kinds == {"client"}
        waiting = await until(client, chat.id, lambda c: c.status == "requires_action")
        assert [(w.tool_call_id, w.kind) for w in waiting.waiting_for] == [("t", "result")]

        await client.submit(chat.id, results=[{"tool_call_id": "t", "output": {"ok": True}}])
        await until(client, chat.id, is_idle)
        assert (await transcript(client, chat.id))[-2:] == ["tool: t answered", "assistant: Opened."]


async def test_two_viewers_see_the_same_and_one_comes_back_where_it_was(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat("stream 60 words at 100 per second\nsay The end.")
        first: list[str] = []
        cursor = None
        async for event in client.stream(chat.id):
            if isinstance(event, PartSpoken):
                first.append(event.part.text or "")
                cursor = event.cursor
                if len(first) == 10:
                    break
        async for event in client.stream(chat.id, cursor):
            match event:
                case PartSpoken(part=part):
                    first.append(part.text or "")
                case StatusChanged(status="waiting"):
                    break
                case _:
                    pass

        saved = (await transcript(client, chat.id))[-1].removeprefix("assistant: ")
        assert saved.startswith("".join(first)[:20])
        assert "".join(first) in saved


async def test_a_clean_stop_hands_over_and_a_restart_goes_on(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        async with server.client() as client:
            chat = await client.create_chat('call @w wait {"seconds": 2}\nnext\nsay Done.')
            await until(client, chat.id, lambda c: c.status == "running")
        assert await server.stop() == 0
        await server.start()
        async with server.client() as client:
            await until(client, chat.id, is_idle)
            assert (await transcript(client, chat.id))[-1] == "assistant: Done."


async def test_what_was_half_said_at_a_kill_is_kept_when_the_user_says_stop(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        async with server.client() as client:
            chat = await client.create_chat("stream 40 words at 20 per second\nwait 3000\nsay never")
            heard = ""
            async for event in client.stream(chat.id):
                if isinstance(event, PartSpoken):
                    heard += event.part.text or ""
                    if len(heard.split()) >= 35:
                        break
        await server.kill()
        await server.start()
        async with server.client() as client:
            await client.interrupt(chat.id)
            await until(client, chat.id, is_idle)
            kept = (await transcript(client, chat.id))[-1].removeprefix("assistant: ")

        # At most a second of it may be missing: twenty words, and a margin for a slow tick.
        assert heard.startswith(kept[:60])
        assert len(kept.split()) >= 10


async def test_a_stop_in_the_middle_of_a_thought_keeps_the_thought(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat("think I wonder\nwait 600\nsay never")
        async for event in client.stream(chat.id):
            if isinstance(event, PartSpoken):
                break
        await client.interrupt(chat.id)
        rested = await until(client, chat.id, is_idle)

        assert rested.finish_reason == "interrupted"
        assert (await transcript(client, chat.id))[-1].startswith("assistant: I")


async def test_a_client_may_refuse(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat(
            "call @t open_tab {}\nnext\nsay A pity.", client_tools=[{"name": "open_tab"}]
        )
        await until(client, chat.id, lambda c: c.status == "requires_action")
        await client.submit(
            chat.id, results=[{"tool_call_id": "t", "output": "no browser here", "is_error": True}]
        )
        await until(client, chat.id, is_idle)

        assert (await transcript(client, chat.id))[-2:] == ["tool: t failed", "assistant: A pity."]


async def test_a_pause_before_the_next_try_can_be_cut_short(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat("fail overloaded retry after 250")
        paused = await until(client, chat.id, lambda c: c.retry is not None)
        assert paused.retry is not None
        await client.retry(chat.id)
        again = await until(
            client, chat.id, lambda c: c.retry is not None and c.snapshot_version > paused.snapshot_version
        )

        assert again.status == "running"


async def test_a_chat_is_put_away_taken_back_and_deleted(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        chat = await client.create_chat("say Hi.")
        await until(client, chat.id, is_idle)
        await client.change_chat(chat.id, archived=True)
        with pytest.raises(ApiError, match="archive"):
            await client.send(chat.id, "say Still there?")
        await client.change_chat(chat.id, archived=False)
        await client.delete_chat(chat.id)
        with pytest.raises(ApiError) as gone:
            await client.chat(chat.id)

        assert gone.value.status == 404
