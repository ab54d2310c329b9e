"""CPU for one delta, from the socket to our event, against only reading and splitting the same bytes.

    python -m bench.providers [--dialects anthropic,chat,...] [--rounds N] [--no-clients]

A server in a process of its own replays canned answers over real sockets. In a burst, 2,000 deltas come at
once, one answer after the other; the fleet is 50 answers at a time with 40 deltas a second each, which is
what a busy server sees. Three ways to read the same answers take turns, and the median of the rounds counts:

    floor     our transport, and its bytes cut at the ends of frames; nothing is looked at
    ours      HttpModel: transport, silence guard, frames, decoder, events
    client    the provider's official client with its typed stream (openai, anthropic, google-genai)

Goals: ours at most 3 x the floor; the official client at least 5 x ours. Converse has no such client that is
asynchronous.
"""

import argparse
import asyncio
import gc
import struct
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from statistics import median
from typing import Any

import uvloop
from msgspec import Struct

from bench._server import Process, running, verdict
from bench._streams import AWS, STREAMS
from chatd.providers.capabilities.target import DialectName, Target
from chatd.providers.credentials.signing import NoCredentials
from chatd.providers.dialect import Dialect
from chatd.providers.dialects.anthropic import ANTHROPIC
from chatd.providers.dialects.chat import CHAT
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.dialects.responses import RESPONSES
from chatd.providers.events import Finished, TextDelta
from chatd.providers.http_model import Endpoint, Framing, HttpModel
from chatd.providers.model import Request, question
from chatd.providers.transport.http import Pools, Way
from chatd.providers.transport.source import Post

FLOOR_GOAL = 3.0
CLIENT_GOAL = 5.0
KEY = "only-for-benches"

DIALECTS: Mapping[str, tuple[Dialect, DialectName]] = {
    "anthropic": (ANTHROPIC, DialectName.ANTHROPIC),
    "responses": (RESPONSES, DialectName.RESPONSES),
    "chat": (CHAT, DialectName.CHAT),
    "gemini": (GEMINI, DialectName.GEMINI),
    "converse": (CONVERSE, DialectName.CONVERSE),
}

HELLO = question("Hello?")

# Reads one answer to its end, and says how many deltas there were.
Read = Callable[[], Awaitable[int]]


class Mode(Struct, frozen=True, kw_only=True):
    name: str
    # How many answers at a time, how often, of how many deltas, and how many of these a second; 0: at once.
    together: int
    times: int
    deltas: int
    rate: int


MODES = (
    Mode(name="burst", together=1, times=15, deltas=2000, rate=0),
    Mode(name="fleet", together=50, times=1, deltas=400, rate=40),
)


# The floor.


def floor(post: Post, url: str, name: str) -> Read:
    count = _count_aws if STREAMS[name].content_type == AWS else _count_sse(name)

    async def read() -> int:
        source = await post(url, {"content-type": "application/json"}, b"{}")
        rest, frames = b"", 0
        while data := await source.read():
            rest, found = count(rest + data if rest else data)
            frames += found
        source.close()
        return frames - len(STREAMS[name].start) - len(STREAMS[name].end)

    return read


def _count_sse(name: str) -> Callable[[bytes], tuple[bytes, int]]:
    blank_line = b"\r\n\r\n" if name == "gemini" else b"\n\n"

    def count(data: bytes) -> tuple[bytes, int]:
        frames = data.split(blank_line)
        return frames.pop(), len(frames)

    return count


def _count_aws(data: bytes) -> tuple[bytes, int]:
    frames: list[bytes] = []
    at, size = 0, len(data)
    while size - at >= 4:
        (length,) = _LENGTH.unpack_from(data, at)
        if size - at < length:
            break
        frames.append(data[at : at + length])
        at += length
    return data[at:], len(frames)


_LENGTH = struct.Struct(">I")


# Ours.


def ours(post: Post, url: str, name: str) -> Read:
    dialect, dialect_name = DIALECTS[name]
    target = Target(
        provider_id="p1",
        provider="bench",
        type="bench",
        dialect=dialect_name,
        model="large",
        api_version="2026-10-21",
    )
    framing: Framing = "aws" if STREAMS[name].content_type == AWS else "sse"
    endpoint = Endpoint(base_url=url, credentials=NoCredentials(), post=post, framing=framing)
    model = HttpModel(target, dialect, endpoint)
    request = Request(messages=[HELLO])

    async def read() -> int:
        deltas = 0
        ended = False
        async for events in model.stream(request):
            deltas += len([event for event in events if type(event) is TextDelta])
            ended = type(events[-1]) is Finished
        assert ended
        return deltas

    return read


# The official clients. Imported only when they are asked for: that alone takes seconds.


def anthropic_client(url: str) -> Read:
    import anthropic  # noqa: PLC0415

    client = anthropic.AsyncAnthropic(api_key=KEY, base_url=url, max_retries=0)

    async def read() -> int:
        deltas = 0
        messages: Any = [{"role": "user", "content": "Hello?"}]
        stream = await client.messages.create(model="large", max_tokens=4096, messages=messages, stream=True)
        async for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                deltas += bool(event.delta.text)
        return deltas

    return read


def responses_client(url: str) -> Read:
    import openai  # noqa: PLC0415

    client = openai.AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0)

    async def read() -> int:
        deltas = 0
        stream = await client.responses.create(model="large", input="Hello?", stream=True)
        async for event in stream:
            if event.type == "response.output_text.delta":
                deltas += bool(event.delta)
        return deltas

    return read


def chat_client(url: str) -> Read:
    import openai  # noqa: PLC0415

    client = openai.AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0)

    async def read() -> int:
        deltas = 0
        messages: Any = [{"role": "user", "content": "Hello?"}]
        stream = await client.chat.completions.create(model="large", messages=messages, stream=True)
        async for chunk in stream:
            deltas += bool(chunk.choices and chunk.choices[0].delta.content)
        return deltas

    return read


def gemini_client(url: str) -> Read:
    from google import genai  # noqa: PLC0415

    client = genai.Client(api_key=KEY, http_options={"base_url": url})

    async def read() -> int:
        deltas = 0
        async for chunk in await client.aio.models.generate_content_stream(model="large", contents="Hello?"):
            deltas += bool(chunk.text)
        return deltas

    return read


CLIENTS: Mapping[str, Callable[[str], Read]] = {
    "anthropic": anthropic_client,
    "responses": responses_client,
    "chat": chat_client,
    "gemini": gemini_client,
}


# Measuring.


async def measure(read: Read, mode: Mode) -> float:
    """Microseconds of CPU of this process for one delta."""
    # As the server does when it starts: what is there for good, such as modules, is not looked at again.
    gc.collect()
    gc.freeze()
    began = time.process_time()
    for _ in range(mode.times):
        counts = await asyncio.gather(*(read() for _ in range(mode.together)))
        assert set(counts) == {mode.deltas}, f"not every delta was read: {counts[0]}"
    spent = time.process_time() - began
    return spent * 1e6 / (mode.deltas * mode.together * mode.times)


async def compare(cases: Mapping[str, Read], mode: Mode, rounds: int) -> dict[str, float]:
    """Each case in turn, several times, after one that does not count; the median speaks for it."""
    found: dict[str, list[float]] = {name: [] for name in cases}
    for read in cases.values():
        await read()
    for _ in range(rounds):
        for name, read in cases.items():
            found[name].append(await measure(read, mode))
    return {name: median(micros) for name, micros in found.items()}


def cases_of(name: str, mode: Mode, address: str, post: Post, *, with_client: bool) -> dict[str, Read]:
    url = f"{address}/{name}/{mode.deltas}/{mode.rate}"
    cases = {"floor": floor(post, url, name), "ours": ours(post, url, name)}
    if with_client and name in CLIENTS:
        cases["client"] = CLIENTS[name](url)
    return cases


async def run(options: argparse.Namespace) -> None:
    names: Sequence[str] = options.dialects.split(",")
    async with running(Process("-m", "bench._replay")) as server, Pools() as pools:
        post = pools.post_by(Way(provider_id="p1"))
        for mode in MODES:
            print(f"\n{describe(mode)}; µs CPU for a delta, median of {options.rounds}")
            print(f"{'':11}{'floor':>8}{'ours':>8}{'client':>9}   {'ours/floor':>16}   {'client/ours':>17}")
            for name in names:
                cases = cases_of(name, mode, server.address, post, with_client=not options.no_clients)
                report(name, await compare(cases, mode, options.rounds))


def describe(mode: Mode) -> str:
    if mode.rate:
        return f"fleet: {mode.together} streams at {mode.rate} deltas/s each, {mode.deltas} deltas long"
    return f"burst: {mode.deltas} deltas at once, {mode.times} times in a row"


def report(name: str, micros: Mapping[str, float]) -> None:
    floor_micros, our_micros = micros["floor"], micros["ours"]
    ratio = our_micros / floor_micros
    line = f"{name:11}{floor_micros:8.2f}{our_micros:8.2f}"
    over_floor = f"{ratio:6.2f} x ({verdict(ratio, FLOOR_GOAL)})"
    if "client" in micros:
        gain = micros["client"] / our_micros
        over_ours = f"{gain:6.1f} x ({verdict(-gain, -CLIENT_GOAL)})"
        print(f"{line}{micros['client']:9.2f}   {over_floor:>16}   {over_ours:>17}")
    else:
        print(f"{line}{'':9}   {over_floor:>16}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dialects", default=",".join(DIALECTS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-clients", action="store_true", help="only the floor and ours")
    # On the loop that serves.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
