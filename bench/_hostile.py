"""Those who wish a server ill, for `soak.py`: one program, one attack, an event loop of its own.

    python -m bench._hostile ATTACK ADDRESS TOKEN CHAT SECONDS

A member stays within 512 requests and 12 uploads a minute; a stranger has no token. Every attack is bounded
in count, ends after SECONDS, and only talks to loopback.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from urllib.parse import urlsplit

import aiohttp
import uvloop
from msgspec import Struct
from msgspec.json import encode

from bench.load import pin

HOSTILE_CORE = 1
# The victim runs on the same core, and must not wait for us: what is measured is the server.
NICE = 19
IMPORTS = UPLOADS = 12
IMPORT_BYTES, FILE_BYTES, MESSAGE_BYTES = 8 * 1024 * 1024, 10 * 1024 * 1024, 256 * 1024
# So much of a body is JSON around the text.
ROOM_BYTES = 4096
IMPORTED_MESSAGES = 10_000
VIEWERS = 40
SLOT_CHATS = 100
SCRIPT_CHATS = 20
LONG_MESSAGES = 200
LONG_MESSAGES_AT_ONCE = 8
TRAILER_CONNECTIONS, BODY_CONNECTIONS, HEAD_CONNECTIONS, IDLE_CONNECTIONS = 50, 100, 300, 1000
TRAILER_BYTES = 16 * 1024
DRIP_SECONDS = 0.1
# Until a refused import is tried again.
REFUSED_SECONDS = 1.0


class Target(Struct, frozen=True):
    """The server, and a session in the name of the attacker."""

    address: str
    session: aiohttp.ClientSession
    big_chat: str = ""

    async def post(self, path: str, body: bytes, **headers: str) -> str:
        """The answer's text. That we are refused, or cut off, is what we are here for."""
        with suppress(aiohttp.ClientError):
            async with self.session.post(
                f"{self.address}/api/v1/{path}", data=body, headers=headers
            ) as answer:
                return await answer.text()
        return ""

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        place = urlsplit(self.address)
        return await asyncio.open_connection(place.hostname, place.port)


Attack = Callable[[Target], Awaitable[None]]


def said(text: str) -> bytes:
    return encode({"content": [{"type": "text", "text": text}]})


def carried(messages: Sequence[object]) -> bytes:
    return encode({"format": "chatd-chat", "version": 1, "title": "Brought", "messages": messages})


def many_messages() -> bytes:
    """As many rows as an import may bring."""
    each = "x" * (IMPORT_BYTES // IMPORTED_MESSAGES - 100)
    return carried([{"role": "user", "content": [{"type": "text", "text": each}]}] * IMPORTED_MESSAGES)


def long_texts() -> bytes:
    each = "x" * ((IMPORT_BYTES - ROOM_BYTES) // 8)
    return carried([{"role": "user", "content": [{"type": "text", "text": each}]}] * 8)


def many_values() -> bytes:
    """As many JSON values as a body may have."""
    call = {"type": "tool-call", "tool_call_id": "c", "tool_name": "t", "args": {"list": [1] * 2000}}
    result = {"type": "tool-result", "tool_call_id": "c", "tool_name": "t", "result": {"list": [1] * 2000}}
    pair = [{"role": "assistant", "content": [call]}, {"role": "tool", "content": [result]}]
    return carried([{"role": "user", "content": [{"type": "text", "text": "x"}]}, *(pair * 60)])


async def imports(target: Target, bodies: Sequence[bytes]) -> None:
    for number in range(IMPORTS):
        while "too_many_requests" in await target.post("chats/import", bodies[number % len(bodies)]):  # noqa: ASYNC110
            await asyncio.sleep(REFUSED_SECONDS)


async def imports_of_rows(target: Target) -> None:
    await imports(target, [many_messages()])


async def imports_of_text(target: Target) -> None:
    await imports(target, [long_texts()])


async def imports_of_values(target: Target) -> None:
    await imports(target, [many_values()])


async def uploads(target: Target) -> None:
    """Two at once: one is sent to its end, the other is not."""
    async with asyncio.TaskGroup() as group:
        group.create_task(_whole_uploads(target))
        group.create_task(_unfinished(target, "POST /api/v1/files", FILE_BYTES, count=UPLOADS // 2))


async def _whole_uploads(target: Target) -> None:
    data = os.urandom(FILE_BYTES)
    for number in range(UPLOADS // 2):
        disposition = f'attachment; filename="{number}.bin"'
        await target.post("files", data, **{"content-disposition": disposition})


async def viewers(target: Target) -> None:
    """They ask for all of a big chat, and read nothing of it."""
    async with AsyncExitStack() as opened:
        for _ in range(VIEWERS):
            _, writer = await target.open()
            opened.callback(writer.close)
            writer.write(_head(f"GET /api/v1/chats/{target.big_chat}/stream", target) + b"\r\n")
        await asyncio.Event().wait()


async def slots(target: Target) -> None:
    """Chats that speak for as long as they are allowed to."""
    await _start(target, SLOT_CHATS, "stream 100000 words")


async def scripts(target: Target) -> None:
    """Chats that speak as fast as they can."""
    await _start(target, SCRIPT_CHATS, "stream 100000 words at 1000000 per second")


async def _start(target: Target, chats: int, script: str) -> None:
    for _ in range(chats):
        await target.post("chats", said(script))
    await asyncio.Event().wait()


async def long_messages(target: Target) -> None:
    body = said("x" * (MESSAGE_BYTES - ROOM_BYTES))

    async def send(count: int) -> None:
        for _ in range(count):
            await target.post("chats", body)

    async with asyncio.TaskGroup() as group:
        for _ in range(LONG_MESSAGES_AT_ONCE):
            group.create_task(send(LONG_MESSAGES // LONG_MESSAGES_AT_ONCE))


async def trailers(target: Target) -> None:
    """The body is over, and what may follow it does not end."""
    begin = _head("POST /api/v1/chats", target) + b"transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
    await _drip(target, TRAILER_CONNECTIONS, begin, b"x-more: " + b"x" * TRAILER_BYTES + b"\r\n")


async def bodies(target: Target) -> None:
    """Half of what was announced, and then nothing."""
    async with asyncio.TaskGroup() as group:
        for _ in range(BODY_CONNECTIONS):
            group.create_task(_unfinished(target, "POST /api/v1/chats", MESSAGE_BYTES, count=1000))


async def slow_heads(target: Target) -> None:
    await _drip(target, HEAD_CONNECTIONS, b"GET / HTTP/1.1\r\n", b"x-slow: x\r\n")


async def idle(target: Target) -> None:
    await _drip(target, IDLE_CONNECTIONS, b"", b"")


async def _drip(target: Target, connections: int, begin: bytes, more: bytes) -> None:
    """Every one that is ended begins anew."""

    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await target.open()
                writer.write(begin)
                while not reader.at_eof() and not writer.is_closing():
                    writer.write(more)
                    await writer.drain()
                    await asyncio.sleep(DRIP_SECONDS)
                    await _look(reader)
                writer.close()
            await asyncio.sleep(DRIP_SECONDS)

    async with asyncio.TaskGroup() as group:
        for _ in range(connections):
            group.create_task(one())


async def _look(reader: asyncio.StreamReader) -> None:
    """Take what was answered, if anything was: only so is the end of a connection noticed."""
    with suppress(TimeoutError):
        async with asyncio.timeout(0.001):
            await reader.read(TRAILER_BYTES)


async def _unfinished(target: Target, request: str, size: int, *, count: int) -> None:
    for _ in range(count):
        with suppress(OSError):
            reader, writer = await target.open()
            head = _head(request, target) + f"content-length: {size}\r\n\r\n".encode()
            writer.write(head + bytes(size // 2))
            await reader.read()
            writer.close()
        await asyncio.sleep(DRIP_SECONDS)


def _head(request: str, target: Target) -> bytes:
    token = target.session.headers.get("authorization")
    lines = [f"{request} HTTP/1.1", "host: soak", 'content-disposition: attachment; filename="half.bin"']
    return "\r\n".join([*lines, *([f"authorization: {token}"] if token else []), ""]).encode()


async def _together(target: Target, attacks: Sequence[Attack]) -> None:
    async with asyncio.TaskGroup() as group:
        for attack in attacks:
            group.create_task(_one_of(attack, target))


async def _one_of(attack: Attack, target: Target) -> None:
    await attack(target)


async def every_import(target: Target) -> None:
    await imports(target, [many_messages(), long_texts(), many_values()])


MEMBER: Mapping[str, Attack] = {
    "imports of rows": imports_of_rows,
    "imports of text": imports_of_text,
    "imports of values": imports_of_values,
    "uploads": uploads,
    "viewers": viewers,
    "slots": slots,
    "scripts": scripts,
    "long messages": long_messages,
}
STRANGER: Mapping[str, Attack] = {
    "trailers": trailers,
    "bodies": bodies,
    "slow heads": slow_heads,
    "idle connections": idle,
}
# Within the limits: of the imports only as many as one user may make.
TOGETHER: Mapping[str, Sequence[Attack]] = {
    "member": (every_import, uploads, viewers, slots, scripts, long_messages),
    "stranger": tuple(STRANGER.values()),
}


async def big_chat(session: aiohttp.ClientSession, address: str) -> str:
    """As large as an import can make it."""
    async with session.post(f"{address}/api/v1/chats/import", data=long_texts()) as answer:
        answer.raise_for_status()
        return str((await answer.json())["id"])


async def run(name: str, address: str, token: str, chat: str, seconds: float) -> None:
    attacks = TOGETHER[name] if name in TOGETHER else [{**MEMBER, **STRANGER}[name]]
    headers = {"authorization": f"Bearer {token}"} if token else {}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(headers=headers, connector=connector) as session:
        print(f"the attack is ready at {address}", flush=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await _together(Target(address, session, chat), attacks)
                await asyncio.Event().wait()


def main() -> None:
    name, address, token, chat, seconds = sys.argv[1:]
    pin(os.getpid(), HOSTILE_CORE)
    os.nice(NICE)
    uvloop.run(run(name, address, token, chat, float(seconds)))


if __name__ == "__main__":
    main()
