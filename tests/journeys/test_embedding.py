"""The example of the guide on embedding: a product's own server and page, with chatd behind them."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.cli.program import Running, environment_for, serving
from tests.install.checkout import ROOT

PATIENCE_SECONDS = 30
SCRIPT = 'call order_status {"order": "1001"}\nnext\nsay It is on its way.'
SCOPES = ["act_as", "chats:read", "chats:write", "files:write", "models:read"]


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def a_token_of_the_shop(server: Running) -> str:
    _, service = await server.ask("POST", "/api/v1/services", json={"name": "shop", "acts_for": "end_users"})
    path = f"/api/v1/users/{service['id']}/tokens"
    status, made = await server.ask("POST", path, json={"name": "backend", "scopes": SCOPES})
    assert status == 201, made
    return str(made["token"])


@asynccontextmanager
async def the_shop(home: Path, server: Running, port: int) -> AsyncIterator[str]:
    more = {"CHATD_URL": server.address, "SHOP_TOKEN": await a_token_of_the_shop(server), "PORT": str(port)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(ROOT / "docs/examples/embed/shop.py"),
        stdout=asyncio.subprocess.PIPE, env=environment_for(home, more),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        await process.stdout.readline()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


async def test_a_customer_of_a_product_asks_and_its_own_tool_answers(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data/chatd.toml").write_text(f'cors_origins = ["http://127.0.0.1:{port}"]\n')
    async with serving(tmp_path) as server, the_shop(tmp_path, server, port) as shop:
        async with aiohttp.ClientSession() as customer:
            async with customer.get(shop) as page:
                assert "chatd.token." in await page.text()
            async with customer.post(f"{shop}/chats", json={"text": SCRIPT, "key": "once"}) as answer:
                begun = await answer.json()
            said = await heard(customer, begun, origin=shop)
            headers = {"Authorization": f"Bearer {begun['token']}", "Origin": shop}
            listed = await asked(customer, f"{server.address}/api/v1/chats", headers)
        other = await server.start_chat("say Nothing of yours.")
        url = f"{server.address}/api/v1/chats/{other}"
        async with aiohttp.ClientSession(headers=headers) as customer, customer.get(url) as refused:
            status = refused.status

    assert said == "It is on its way."
    assert [chat["id"] for chat in listed["chats"]] == [begun["chat_id"]]
    assert status == 404


async def asked(session: aiohttp.ClientSession, url: str, headers: dict[str, str]) -> Any:
    async with session.get(url, headers=headers) as answer:
        assert answer.headers["Access-Control-Allow-Origin"] == headers["Origin"]
        return await answer.json()


async def heard(session: aiohttp.ClientSession, begun: dict[str, str], origin: str) -> str:
    """What the agent says at last, as the page hears it."""
    stream = f"{begun['chatd']}/api/v1/chats/{begun['chat_id']}/stream"
    protocols = ("chatd", f"chatd.token.{begun['token']}")
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        session.ws_connect(stream, protocols=protocols, headers={"Origin": origin}) as socket_,
    ):
        async for frame in socket_:
            for event in frame.json():
                message = event.get("message", {})
                text = "".join(part.get("text", "") for part in message.get("content", ()))
                if message.get("role") == "assistant" and text:
                    return text
    return ""
