"""Stories of an agent that uses the web: a real server of ours, and one of the internet on this machine."""

import json
from pathlib import Path

from chatd.client.answers import Chat, Part
from chatd.client.asynchronous import AsyncClient
from tests.journeys.asking.test_approvals import allow, waits
from tests.journeys.server import is_idle, served, until
from tests.journeys.workspace.working import results
from tests.tools.web.internet import Internet, an_internet, html, redirect

PAGE = "<title>News</title><main><h1>News</h1><p>All is well.</main>"


def script(url: str) -> str:
    return f"call @page fetch_url {json.dumps({'url': url})}\nnext\nsay Done."


async def asked_for(client: AsyncClient, url: str) -> Chat:
    chat = await client.create_chat(script(url))
    return await until(client, chat.id, waits)


def allowing(internet: Internet) -> dict[str, str]:
    """The environment of a server that may read these machines."""
    sites = ",".join(internet.site(host) for host in ("127.0.0.1", "localhost"))
    return {"CHATD_FETCH_PRIVATE_HOSTS": sites, "CHATD_APPROVALS": "ask"}


async def test_a_person_is_asked_for_a_host_once_and_then_it_is_read_in_every_chat(tmp_path: Path) -> None:
    async with (
        an_internet() as internet,
        served(tmp_path, env=allowing(internet)) as server,
        server.client() as client,
    ):
        internet.public.pages |= {"/news": html(PAGE), "/more": html("<p>More.")}
        chat = await asked_for(client, internet.url("/news", "127.0.0.1"))
        (awaited,) = chat.waiting_for
        assert awaited.approval is not None
        assert awaited.approval.hosts == (internet.site("127.0.0.1"),)
        assert internet.public.asked == []

        await allow(client, chat.id, awaited, "always")
        await until(client, chat.id, is_idle)
        assert (await results(client, chat.id))["page"]["content"] == "# News\n\nAll is well."

        (rule,) = (await client.rules()).rules
        assert rule.hosts == (internet.site("127.0.0.1"),)
        another = await client.create_chat(script(internet.url("/more", "127.0.0.1")))
        await until(client, another.id, is_idle)
        assert (await results(client, another.id))["page"]["content"] == "More."


async def test_what_was_allowed_once_does_not_lead_to_another_host(tmp_path: Path) -> None:
    async with (
        an_internet() as internet,
        served(tmp_path, env=allowing(internet)) as server,
        server.client() as client,
    ):
        elsewhere = internet.url("/stolen?key=1", "localhost")
        internet.public.pages |= {"/out": redirect(elsewhere), "/stolen?key=1": html("<p>x")}
        chat = await asked_for(client, internet.url("/out", "127.0.0.1"))
        await allow(client, chat.id, chat.waiting_for[0])
        await until(client, chat.id, is_idle)

        error = (await results(client, chat.id))["page"]["error"]
        assert f"has moved to another host: {elsewhere}" in error
        assert [asked.path for asked in internet.public.asked] == ["/out"]


async def test_no_person_is_asked_for_a_page_of_this_machine_or_of_a_private_network(tmp_path: Path) -> None:
    hosts = ("localhost", "127.0.0.1", "[::1]", "169.254.169.254", "printer.local")
    calls = [f"call @{n} fetch_url {json.dumps({'url': f'http://{host}/'})}" for n, host in enumerate(hosts)]
    async with served(tmp_path, env={"CHATD_APPROVALS": "ask"}) as server, server.client() as client:
        chat = await client.create_chat("\n".join((*calls, "next", "say Done.")))
        await until(client, chat.id, lambda chat: is_idle(chat) or waits(chat))

        told = await results(client, chat.id)
        for n, host in enumerate(hosts):
            assert f"{host} is this machine, or in a private network" in told[str(n)]["error"]


async def test_the_operator_can_turn_it_off(tmp_path: Path) -> None:
    async with served(tmp_path, env={"CHATD_FETCH_URL": "false"}) as server, server.client() as client:
        chat = await client.create_chat(script("https://example.org/"))
        await until(client, chat.id, is_idle)

        assert "Tool not found: fetch_url" in (await results(client, chat.id))["page"]["error"]


async def parts_of(client: AsyncClient, chat_id: str) -> list[Part]:
    """What the agent has said."""
    return [
        part
        async for message in client.history(chat_id)
        if message.role == "assistant"
        for part in message.content
    ]


async def test_a_search_of_the_provider_has_sources_and_is_not_made_while_planning(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.client() as client:
        acting = await client.create_chat("search cats\nsay Found.")
        planning = await client.create_chat("search cats\nsay Found.", mode="plan")
        await until(client, acting.id, is_idle)
        await until(client, planning.id, is_idle)

        call, result, source, words = await parts_of(client, acting.id)
        assert (call.tool_name, call.kind, result.type) == ("web_search", "provider", "tool-result")
        assert (source.type, source.url, words.text) == ("source", "https://example.org/scripted", "Found.")
        (said,) = await parts_of(client, planning.id)
        assert said.text.startswith("(No web search is offered here now.)")
