"""The examples in deploy/proxy, with the real programs in front of a real server."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from chatd.client import ApiError, AsyncClient
from chatd.client.events import MessageSaved, PartSpoken
from tests.cli.program import Running, serving
from tests.install.checkout import ROOT
from tools.proxies import find_program

PATIENCE_SECONDS = 30
MEBIBYTE = 1024 * 1024
SCRIPT = "say Before.\nwait 2\nsay After."


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def nginx(directory: Path, port: int, behind: str) -> list[str]:
    """The example with another port and without a certificate; around it what a distribution has."""
    example = (ROOT / "deploy/proxy/nginx.conf").read_text().replace("127.0.0.1:8787", behind)
    lines = [line for line in example.splitlines() if "ssl_certificate" not in line]
    served = "\n".join(lines).replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    config = directory / "nginx.conf"
    config.write_text(
        f"daemon off; worker_processes 1; pid {directory}/nginx.pid; error_log {directory}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; client_body_temp_path {directory}/body;\n"
        f"proxy_temp_path {directory}/proxied; fastcgi_temp_path {directory}/f;\n"
        f"uwsgi_temp_path {directory}/u; scgi_temp_path {directory}/s;\n{served}\n}}\n"
    )
    return ["-c", str(config), "-p", str(directory)]


def caddy(directory: Path, port: int, behind: str) -> list[str]:
    example = (ROOT / "deploy/proxy/Caddyfile").read_text().replace("127.0.0.1:8787", behind)
    config = directory / "Caddyfile"
    config.write_text(
        "{\n\tadmin off\n\tgrace_period 100ms\n}\n"
        + example.replace("chatd.example.com {", f"http://127.0.0.1:{port} {{")
    )
    return ["run", "--config", str(config), "--adapter", "caddyfile"]


PROXIES: dict[str, Callable[[Path, int, str], list[str]]] = {"nginx": nginx, "caddy": caddy}


@asynccontextmanager
async def proxied(name: str, directory: Path, server: Running) -> AsyncIterator[str]:
    program = find_program(name)
    if program is None:
        pytest.skip(f"there is no {name} on this machine")
    port = free_port()
    arguments = PROXIES[name](directory, port, urlsplit(server.address).netloc)
    process = await asyncio.create_subprocess_exec(
        program, *arguments, stderr=asyncio.subprocess.DEVNULL, env={"HOME": str(directory), "PATH": ""}
    )
    try:
        await until_it_listens(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


async def until_it_listens(port: int) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0)
                continue
            writer.close()
            return


@pytest.mark.parametrize("name", PROXIES)
async def test_words_arrive_as_they_are_said_over_both_kinds_of_stream(name: str, tmp_path: Path) -> None:
    async with serving(tmp_path) as server, proxied(name, tmp_path, server) as address:
        token = (tmp_path / "data/admin-token").read_text().strip()
        async with AsyncClient(address, token) as client:
            chat = await client.create_chat(SCRIPT)
            spoken = ""
            async with aclosing(client.stream(chat.id)) as events:
                async for event in events:
                    # Before the reply is saved, and so before it is whole.
                    assert not (isinstance(event, MessageSaved) and event.message.role == "assistant")
                    spoken += event.part.text if isinstance(event, PartSpoken) else ""
                    if spoken:
                        break
        headers = {"Authorization": f"Bearer {token}"}
        stream = f"{address}/api/v1/chats/{chat.id}/stream"
        async with aiohttp.ClientSession(headers=headers) as session, session.ws_connect(stream) as socket_:
            first = await socket_.receive_json(timeout=PATIENCE_SECONDS)

    assert (bool(spoken), "After" in spoken) == (True, False)
    assert first


@pytest.mark.parametrize("name", PROXIES)
async def test_files_up_to_our_limit_pass_and_larger_bodies_do_not_reach_us(
    name: str, tmp_path: Path
) -> None:
    async with serving(tmp_path) as server, proxied(name, tmp_path, server) as address:
        token = (tmp_path / "data/admin-token").read_text().strip()
        async with AsyncClient(address, token) as client:
            added = await client.add_file(b"a" * (10 * MEBIBYTE), name="a.txt", media_type="text/plain")
            with pytest.raises(ApiError) as refused:
                await client.add_file(b"a" * (17 * MEBIBYTE), name="b.txt", media_type="text/plain")

    assert added.id
    assert refused.value.status == 413
