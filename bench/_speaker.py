"""A provider that speaks by the clock: every delta says when it was sent, or is a word of a text in Markdown.

    python -m bench._speaker [--deltas N] [--rate R] [--markdown]

Answers POST with a stream of Chat Completions. A request with a message that says `hold` waits until a client
asks for `/go`; any other is answered at once with a few words. `/held` says how many are waiting. All streams
have the same pace and share it out evenly: in no moment do all of them speak.
"""

import argparse
import asyncio
import heapq
import json
import re
import time
from itertools import count, cycle
from typing import cast

import uvloop

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
CHUNK = (
    b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"steady",'
    b'"choices":[{"index":0,"delta":{"content":"%b"},"finish_reason":null}]}\n\n'
)
LAST = (
    b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"steady",'
    b'"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"steady","choices":[],'
    b'"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20}}\n\ndata: [DONE]\n\n'
)
# All that such a message says.
HOLD = b'"hold"'
SHORT = (b"So", b" it", b" is.")
# Of everything that answers have, in pieces as models send them: a word with the space before it.
MARKDOWN = """
## What was found

The server keeps **every step** in a database, so that `nothing` that was accepted is lost; see
[the map](https://example.org/map) for how it is built. It goes on where it was, whatever crashes.

1. Read the file and the test first.
2. Change one thing at a time, and run `make test` after each of them.
   - It takes a minute on two cores.
   - What fails is named at the end.

| Case | Before | After |
|---|---:|---:|
| one chat | 12 ms | 3 ms |
| two hundred | 250 ms | 41 ms |

```python
async def transact(db: Database, chat_id: ChatId, *commands: Command) -> Chat:
    async with db.transaction() as tx:
        chat = await read_locked(tx, chat_id)
        for command in commands:
            chat = await write(tx, chat, decide(chat, command))
    return chat
```

> Hints wake, the database tells. The cost is $O(n)$ for *n* viewers.

"""
PIECES = tuple(json.dumps(each)[1:-1].encode() for each in re.findall(r"\s*\S+|\s+$", MARKDOWN))


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


class Pace:
    """Who speaks when."""

    def __init__(self, deltas: int, rate: float, *, markdown: bool) -> None:
        self._deltas = deltas
        self._pieces = cycle(PIECES) if markdown else None
        self._gap = 1 / rate
        self._due: list[tuple[float, int, Speaker, int]] = []
        self._numbers = count()
        self.held: list[Speaker] = []

    def go(self) -> None:
        now = time.monotonic()
        for place, speaker in enumerate(self.held):
            first = now + 0.05 + self._gap * place / len(self.held)
            heapq.heappush(self._due, (first, next(self._numbers), speaker, self._deltas))
        self.held = []

    async def run(self) -> None:
        while True:
            now = time.monotonic()
            while self._due and self._due[0][0] <= now:
                when, _, speaker, left = heapq.heappop(self._due)
                if not left:
                    speaker.finish()
                    continue
                speaker.say(next(self._pieces) if self._pieces else b"%d " % time.monotonic_ns())
                heapq.heappush(self._due, (when + self._gap, next(self._numbers), speaker, left - 1))
            await asyncio.sleep(max(0.001, self._due[0][0] - now) if self._due else 0.005)


class Speaker(asyncio.Protocol):
    """One connection. Understands as much of HTTP as our own clients speak."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if not found:
            return
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        if len(body) < length:
            return
        self._got = b""
        self._answer(head.split(b" ")[1], body)

    def _answer(self, path: bytes, body: bytes) -> None:
        if path == b"/go":
            self._pace.go()
            self._say_plainly(b"")
        elif path == b"/held":
            self._say_plainly(b"%d" % len(self._pace.held))
        else:
            self._transport.write(HEAD)
            if HOLD in body:
                self._pace.held.append(self)
                return
            for word in SHORT:
                self.say(word)
            self.finish()

    def say(self, words: bytes) -> None:
        self._transport.write(chunked(CHUNK % words))

    def finish(self) -> None:
        self._transport.write(chunked(LAST) + b"0\r\n\r\n")

    def _say_plainly(self, body: bytes) -> None:
        self._transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))


async def serve(deltas: int, rate: float, *, markdown: bool) -> None:
    pace = Pace(deltas, rate, markdown=markdown)
    server = await asyncio.get_running_loop().create_server(lambda: Speaker(pace), "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    print(f"speaker ready at http://{host}:{port}", flush=True)
    await pace.run()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deltas", type=int, default=500)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--markdown", action="store_true", help="words of a text instead of times")
    arguments = parser.parse_args()
    uvloop.run(serve(arguments.deltas, arguments.rate, markdown=arguments.markdown))


if __name__ == "__main__":
    main()
