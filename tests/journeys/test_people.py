"""The story of somebody who is invited, works, is suspended in the middle of it, and comes back."""

import sqlite3
from contextlib import aclosing, closing
from pathlib import Path

import aiohttp
import pytest

from chatd.client.asynchronous import AsyncClient
from chatd.client.errors import ApiError
from chatd.client.events import PartSpoken
from tests.journeys.server import Server, is_idle, served, transcript, until
from tests.traceability import proves


async def token_of(server: Server, name: str) -> str:
    """What the link of an invitation leads to: a browser that is signed in, and makes a token."""
    async with server.client() as admin:
        made = await admin.add_user(name)
        address = server.address
        async with aiohttp.ClientSession(address, headers={"Origin": address}) as browser:
            async with browser.post("/api/v1/auth/exchange", json={"code": made.code}) as answer:
                assert answer.status == 200
                cookie = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}
            body = {"name": "mine"}
            async with browser.post("/api/v1/users/me/tokens", json=body, headers=cookie) as answer:
                return str((await answer.json())["token"])


@proves("people", 33)
async def test_who_is_suspended_keeps_what_was_said_and_goes_on_when_they_are_back(tmp_path: Path) -> None:
    async with (
        served(tmp_path) as server,
        server.client() as admin,
        AsyncClient(server.address, await token_of(server, "anna")) as anna,
    ):
        chat = await anna.create_chat("say Once.\nwait 3600")
        async with aclosing(anna.stream(chat.id)) as events:
            await anext(event async for event in events if isinstance(event, PartSpoken))
        await anna.send(chat.id, "say The end.")
        (user,) = (await admin.users(q="anna")).users

        await admin.suspend_user(user.id)

        stopped = await until(admin, chat.id, lambda chat: chat.status == "error")
        assert stopped.last_error is not None
        assert stopped.last_error.kind == "owner_suspended"
        said = await transcript(admin, chat.id)
        assert said[:2] == ["user: say Once.\nwait 3600", "assistant: Once."]
        with pytest.raises(ApiError) as refused:
            await anna.chats()
        assert refused.value.code == "account_suspended"

        await admin.activate_user(user.id)
        await anna.retry(chat.id)
        await until(anna, chat.id, is_idle)
        assert (await transcript(anna, chat.id))[-1] == "assistant: The end."


async def test_a_clean_stop_keeps_what_was_counted_of_refusals(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        async with AsyncClient(server.address, await token_of(server, "anna")) as anna:
            for _ in range(13):
                with pytest.raises(ApiError):
                    await anna.users()
        assert await server.stop() == 0

    with closing(sqlite3.connect(tmp_path / "data" / "chatd.db")) as database:
        told = [row[0] for row in database.execute("SELECT changes FROM audit WHERE outcome = 'refused'")]
    assert len(told) == 11
    assert '{"count":3}' in told
