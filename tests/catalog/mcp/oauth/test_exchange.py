"""Requests to servers that others have named."""

import asyncio
import gzip
import tracemalloc
from collections.abc import Sequence

import pytest
from aiohttp import web

from chatd.kit.outbound.exchange import BODY_BYTES_MAX, Exchange, NoAnswer
from chatd.kit.outbound.reach import Reach, system_resolve
from tests.catalog.mcp.oauth.authorization_server import SignInServer
from tests.catalog.mcp.oauth.world import is_of_the_internet
from tests.mcp.running import raw_http

NAMES = {"public.test": ["127.0.0.1"], "private.test": ["127.0.0.2"], "both.test": ["127.0.0.2", "127.0.0.1"]}


async def resolve(host: str, port: int) -> Sequence[str]:
    if host == "unknown.test":
        raise OSError("no such name")
    return NAMES[host] if host in NAMES else await system_resolve(host, port)


def exchange(*, private_hosts: bool = False) -> Exchange:
    return Exchange(Reach(private_hosts=private_hosts, resolve=resolve, may_call=is_of_the_internet))


def at(host: str, there: SignInServer) -> str:
    return f"http://{host}:{there.origin.rpartition(':')[2]}/hello"


@pytest.mark.parametrize("host", ["public.test", "127.0.0.1", "both.test"])
async def test_a_public_host_is_asked_by_its_name_or_its_number(there: SignInServer, host: str) -> None:
    there.documents["/hello"] = {"a": 1}

    answer = await exchange().ask("POST", at(host, there), form={"b": "c d"})

    assert (answer.status, answer.body, answer.is_well) == (200, b'{"a": 1}', True)
    (asked,) = there.seen
    assert (asked.method, asked.form) == ("POST", {"b": "c d"})
    assert asked.headers["host"].startswith(host)


@pytest.mark.parametrize("host", ["private.test", "127.0.0.2"])
async def test_a_private_one_is_not_even_connected_to(host: str) -> None:
    async with SignInServer("127.0.0.2") as inside:
        with pytest.raises(NoAnswer, match="private network"):
            await exchange().ask("GET", at(host, inside))

        assert inside.seen == []


@pytest.mark.parametrize("host", ["private.test", "127.0.0.2"])
async def test_unless_an_administrator_has_named_it_or_the_operator_allows_it(host: str) -> None:
    async with SignInServer("127.0.0.2") as inside:
        assert (await exchange().ask("GET", at(host, inside), trusted=True)).status == 404
        assert (await exchange(private_hosts=True).ask("GET", at(host, inside))).status == 404


async def test_a_redirect_is_an_answer_and_no_cookie_is_kept(there: SignInServer) -> None:
    headers = {"Location": "/elsewhere", "Set-Cookie": "a=b"}
    there.refuse["/hello"] = lambda: web.Response(status=302, headers=headers)

    answers = [await exchange().ask("GET", at("public.test", there)) for _ in range(2)]

    assert [answer.status for answer in answers] == [302, 302]
    assert there.paths() == ["/hello", "/hello"]
    assert "cookie" not in there.seen[1].headers


async def test_an_answer_has_an_end(there: SignInServer) -> None:
    there.refuse["/hello"] = lambda: web.Response(body=b"x" * BODY_BYTES_MAX)
    assert len((await exchange().ask("GET", at("public.test", there))).body) == BODY_BYTES_MAX

    there.refuse["/hello"] = lambda: web.Response(body=b"x" * (BODY_BYTES_MAX + 1))
    with pytest.raises(NoAnswer, match="more than 128 KiB"):
        await exchange().ask("GET", at("public.test", there))


async def test_a_small_answer_that_becomes_a_large_one_has_an_end_too(there: SignInServer) -> None:
    def bomb() -> web.StreamResponse:
        response = web.Response(body=b"\0" * 50_000_000)
        response.enable_compression()
        return response

    there.refuse["/hello"] = bomb

    with pytest.raises(NoAnswer, match="more than 128 KiB"):
        await exchange().ask("GET", at("public.test", there))


async def test_a_small_answer_does_not_become_a_large_one_in_memory() -> None:
    packed = gzip.compress(b"\0" * 100_000_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)

    async def bomb(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + packed)
        writer.close()

    async with raw_http(bomb) as port:
        tracemalloc.start()
        try:
            with pytest.raises(NoAnswer, match="more than 128 KiB"):
                await exchange().ask("GET", f"http://127.0.0.1:{port}/")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert peak < 2_000_000


async def test_a_packed_answer_is_read_and_one_that_is_packed_otherwise_is_refused(
    there: SignInServer,
) -> None:
    packed = {"Content-Encoding": "gzip"}
    there.refuse["/hello"] = lambda: web.Response(body=gzip.compress(b"hello"), headers=packed)
    assert (await exchange().ask("GET", at("public.test", there))).body == b"hello"

    there.refuse["/hello"] = lambda: web.Response(body=b"hello", headers={"Content-Encoding": "br"})
    with pytest.raises(NoAnswer, match="cannot be unpacked"):
        await exchange().ask("GET", at("public.test", there))


async def test_what_stands_in_the_way_is_said_without_the_address() -> None:
    with pytest.raises(NoAnswer) as nowhere:
        await exchange().ask("GET", "http://unknown.test/secret-path")
    with pytest.raises(NoAnswer) as closed:
        await exchange().ask("GET", "http://127.0.0.1:9/secret-path")

    assert str(nowhere.value) == "the host cannot be found"
    assert str(closed.value) == "the host cannot be reached"
