"""What happens on one server is known on the others at once, not when they happen to look."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.client.events import Event, MessageSaved, PartSpoken, WaitingForChanged
from tests.fleet.conftest import Fleets
from tests.fleet.fleet import until as until_true
from tests.fleet.lists import watching_list
from tests.fleet.people import token_of
from tests.journeys.server import PATIENCE_SECONDS, is_idle, until

# Each of them takes about ten seconds where servers have to look: more than there is patience for all.
ROUNDS = 12
BUSY = "stream 5000 words at 20 per second"
ASK = {"name": "ask", "description": "Ask the client.", "input_schema": {"type": "object"}}


async def until_said(client: AsyncClient, chat_id: str) -> None:
    async for event in client.stream(chat_id):
        if isinstance(event, PartSpoken):
            return


@pytest.mark.timeout(120)
async def test_a_stop_at_another_server_reaches_the_one_that_drives(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet:
        drives, other = fleet.clients()
        async with drives, other, asyncio.timeout(PATIENCE_SECONDS):
            chat = await drives.create_chat(BUSY)
            for _ in range(ROUNDS):
                await until_said(drives, chat.id)
                await other.interrupt(chat.id)
                await until(drives, chat.id, is_idle)
                await drives.send(chat.id, BUSY)


@pytest.mark.timeout(120)
async def test_an_answer_at_another_server_lets_the_chat_go_on_and_all_viewers_see_it(
    fleet_of: Fleets,
) -> None:
    async with fleet_of(2) as fleet:
        one, other = fleet.clients()
        async with one, other, asyncio.timeout(PATIENCE_SECONDS):
            script = "\nnext\n".join([f"call @c{each} ask {{}}" for each in range(ROUNDS)] + ["say Done."])
            chat = await one.create_chat(script, client_tools=[ASK])
            viewers = [client.stream(chat.id) for client in (one, other)]
            for each in range(ROUNDS):
                for viewer in viewers:
                    await until_it_asks(viewer, f"c{each}")
                # In turn: the server that is answered takes the chat over.
                client = one if each % 2 else other
                await client.submit(chat.id, results=[{"tool_call_id": f"c{each}", "output": "yes"}])
            for viewer in viewers:
                await until_it_says(viewer, "Done.")
                await viewer.aclose()


async def until_it_asks(viewer: AsyncIterator[Event], call: str) -> None:
    async for event in viewer:
        asked = event.waiting_for if isinstance(event, WaitingForChanged) else ()
        if [each.tool_call_id for each in asked] == [call]:
            return


async def until_it_says(viewer: AsyncIterator[Event], text: str) -> None:
    async for event in viewer:
        if isinstance(event, MessageSaved) and event.message.text == text:
            return


@pytest.mark.timeout(120)
async def test_a_list_at_another_server_stays_true(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet:
        one, other = fleet.clients()
        async with one, other, asyncio.timeout(PATIENCE_SECONDS):
            watching = other.watch()
            await anext(watching)
            for _ in range(ROUNDS):
                chat = await one.create_chat("say Hello.")
                told = set[str]()
                while not {"created", "waiting"} <= told:
                    event = await anext(watching)
                    if event.chat is not None and event.chat.id == chat.id:
                        told |= {event.type, event.chat.status}
            await watching.aclose()


@pytest.mark.timeout(120)
async def test_a_setting_is_known_at_another_server_at_once(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet:
        one, other = fleet.clients()
        async with one, other, asyncio.timeout(PATIENCE_SECONDS):
            chat = await one.create_chat("say Hello.")
            for each in range(ROUNDS):
                await one.change_settings(base_prompt=f"You are number {each}.")
                await until_true(partial(is_told, other, chat.id, f"number {each}."))


async def is_told(client: AsyncClient, chat_id: str, words: str) -> bool:
    return words in str(await client.prompt(chat_id))


@pytest.mark.timeout(120)
async def test_with_the_listening_connections_cut_nothing_is_lost(fleet_of: Fleets) -> None:
    async with fleet_of(2) as fleet:
        drives, other = fleet.clients()
        async with drives, other, asyncio.timeout(PATIENCE_SECONDS):
            chat = await drives.create_chat(BUSY)
            for _ in range(ROUNDS):
                await until_said(drives, chat.id)
                await fleet.cut_listeners()
                await other.interrupt(chat.id)
                await until(other, chat.id, is_idle)
                await other.send(chat.id, BUSY)
                drives, other = other, drives


@pytest.mark.timeout(120)
async def test_a_chat_that_is_shared_at_one_server_appears_moves_and_vanishes_in_lists_at_the_other(
    fleet_of: Fleets,
) -> None:
    """Each within less than a poll takes."""
    async with fleet_of(2) as fleet, asyncio.timeout(PATIENCE_SECONDS):
        one, _ = fleet.clients()
        async with one:
            anna, token = await token_of(one, "anna")
            group = await one.add_group("team")
            await one.add_member(group.id, anna)
            chat = await one.create_chat("say Hello.")
            async with watching_list(fleet.servers[1], token) as watched:
                for _ in range(ROUNDS):
                    await one.share(chat.id, "team", kind="group")
                    event = await watched.until("created", "status_change")
                    assert (event["chat_id"], event["chat"]["access"]) == (chat.id, "reader")
                    await one.change_chat(chat.id, title="Better")
                    await watched.until("title_change", "status_change", "details_change")
                    await one.unshare(chat.id, "team", kind="group")
                    assert (await watched.until("deleted"))["chat_id"] == chat.id
                    await one.change_chat(chat.id, title="Private")
                await one.offer_chat(chat.id, "anna")
                assert (await watched.until("offers_change"))["count"] == 1
