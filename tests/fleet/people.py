"""Other users than the administrator of a fleet."""

import aiohttp

from chatd.client.asynchronous import AsyncClient


async def token_of(admin: AsyncClient, name: str) -> tuple[str, str]:
    """The id of a new user, and a token of theirs."""
    made = await admin.add_user(name)
    origin = {"Origin": admin.address}
    async with aiohttp.ClientSession(admin.address, headers=origin) as browser:
        async with browser.post("/api/v1/auth/exchange", json={"code": made.code}) as answer:
            cookie = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}
        async with browser.post("/api/v1/users/me/tokens", json={"name": "mine"}, headers=cookie) as answer:
            return made.id, str((await answer.json())["token"])
