"""The fake provider itself: how strict it is, what it remembers, and that it can stand alone."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import aiohttp
import pytest

from tests.fake_provider.__main__ import READY
from tests.fake_provider.places import KEY, PLACES
from tests.fake_provider.script import Call, answer, say, think
from tests.fake_provider.server import HIDDEN, FakeProvider
from tests.house.repository import ROOT

REASONED = answer(think("Hm.", seal="one"), say("I look."), Call("a", "echo", {"text": "x"}))
USER = {"role": "user", "content": [{"type": "text", "text": "Hello?"}]}


@pytest.fixture
async def fake() -> AsyncIterator[FakeProvider]:
    async with FakeProvider() as provider:
        yield provider


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def ask_claude(
    http: aiohttp.ClientSession, fake: FakeProvider, *messages: Any, **headers: str
) -> tuple[int, Any]:
    """Without streaming, as plainly as it can be."""
    sent = {"x-api-key": KEY, "anthropic-version": "2026-10-21"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    body = {
        "model": "claude-opus-4-8",
        "max_tokens": 10,
        "messages": [USER, *messages],
        "tools": [{"name": "echo", "input_schema": {"type": "object", "properties": {}}}],
    }
    async with http.post(f"{fake.address}/v1/messages", json=body, headers=sent) as response:
        return response.status, await response.json()


async def test_a_seal_that_was_changed_is_refused_in_the_providers_own_form(
    fake: FakeProvider, http: aiohttp.ClientSession
) -> None:
    fake.will_say(REASONED)
    _, said = await ask_claude(http, fake)
    result = {"type": "tool_result", "tool_use_id": "toolu_a", "content": [{"type": "text", "text": "y"}]}
    results = {"role": "user", "content": [result]}
    forged = [
        {**said["content"][0], "signature": said["content"][0]["signature"][:-4] + "AAAA"},
        *said["content"][1:],
    ]

    taken = await ask_claude(http, fake, {"role": "assistant", "content": said["content"]}, results)
    status, refusal = await ask_claude(http, fake, {"role": "assistant", "content": forged}, results)

    assert taken[0] == 200
    assert status == 400
    assert refusal["type"] == "error"
    assert refusal["error"]["type"] == "invalid_request_error"
    assert "was never given out here" in refusal["error"]["message"]
    assert [asked.number for asked, _ in fake.refused] == [3]


async def test_calls_without_results_and_headers_without_a_version_are_refused(
    fake: FakeProvider, http: aiohttp.ClientSession
) -> None:
    fake.will_say(REASONED)
    _, said = await ask_claude(http, fake)

    unanswered = await ask_claude(http, fake, {"role": "assistant", "content": said["content"]}, USER)
    two_keys = await ask_claude(http, fake, authorization="Bearer x")

    assert [unanswered[0], two_keys[0]] == [400, 400]
    assert "are answered by []" in unanswered[1]["error"]["message"]
    assert two_keys[1]["error"]["message"] == "there are 2 keys"


async def test_what_one_wire_has_sealed_no_other_accepts(fake: FakeProvider) -> None:
    seals = {name: wire.seal("signature", "one") for name, wire in fake.wires.items()}

    assert len(set(seals.values())) == len(seals)
    for wire in fake.wires.values():
        foreign = [seal for name, seal in seals.items() if name != wire.name]
        assert not wire.given & set(foreign)


async def test_requests_are_remembered_without_their_keys(
    fake: FakeProvider, http: aiohttp.ClientSession
) -> None:
    await ask_claude(http, fake)

    [asked] = fake.asked
    assert asked.headers["x-api-key"] == HIDDEN
    assert KEY not in repr(asked)
    assert asked.body["model"] == asked.model == "claude-opus-4-8"


async def test_ollamas_list_and_the_report_are_there_and_nothing_else(
    fake: FakeProvider, http: aiohttp.ClientSession
) -> None:
    async with http.get(f"{fake.address}/api/tags") as response:
        tags = await response.json()
    async with http.get(f"{fake.address}/report") as response:
        report = await response.json()
    async with http.post(f"{fake.address}/v2/elsewhere", json={}) as response:
        elsewhere = response.status

    assert [model["name"] for model in tags["models"]] == ["llama3.2:latest"]
    assert (report["asked"], report["open"]) == (0, 1)
    assert elsewhere == 404


async def test_it_speaks_at_the_pace_that_it_was_given(
    fake: FakeProvider, http: aiohttp.ClientSession
) -> None:
    fake.will_say(answer(say(*"abcdefgh"), pace=0.01))
    body = {"model": PLACES["chat"].model, "stream": True, "messages": [{"role": "user", "content": "Hi"}]}
    loop = asyncio.get_running_loop()

    async with http.post(f"{fake.address}/v1/chat/completions", json=body) as response:
        moments = [loop.time() async for _ in response.content.iter_any()]

    # As fast as it may be, and not all at once.
    assert len(moments) > 5
    assert all(after > before for before, after in pairwise(moments))
    assert moments[-1] - moments[0] > 0.05


async def test_it_stands_alone_as_a_process(http: aiohttp.ClientSession) -> None:
    arguments = ["--port", "0", "--deltas", "5", "--per-second", "1000"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fake_provider", *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    address = line.removeprefix(READY).strip()
    body = {"model": "any", "stream": True, "messages": [{"role": "user", "content": "Hi"}]}

    async with http.post(f"{address}/v1/chat/completions", json=body) as response:
        frames = [line async for line in response.content if line.startswith(b"data: {")]
    process.send_signal(signal.SIGTERM)
    code = await process.wait()
    await process.stdout.read()

    said = [json.loads(frame[6:])["choices"][0]["delta"].get("content", "") for frame in frames]
    assert "".join(said) == "word0 word1 word2 word3 word4 "
    assert code == 0


async def test_every_wire_has_its_place(fake: FakeProvider) -> None:
    assert fake.wires.keys() <= PLACES.keys()
