"""The server: one protocol for each connection, no tasks, and a timer only where something has to wait."""

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import Self, TypeAlias, cast
from urllib.parse import unquote

import httptools
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.part import Json
from chatd.kit.codec import encode
from tests.fake_provider.script import Answer, say
from tests.fake_provider.troubles import Complaint, Gesture, Html, Lost, Move
from tests.fake_provider.wires.anthropic import Invoke, Messages
from tests.fake_provider.wires.chat import Chat, OpenRouter
from tests.fake_provider.wires.converse import Converse
from tests.fake_provider.wires.gemini import Gemini
from tests.fake_provider.wires.responses import Responses
from tests.fake_provider.wires.wire import Asked, Wire

PATIENCE_SECONDS = 30
BACKLOG = 4096
SECRETS = ("authorization", "x-api-key", "api-key", "x-goog-api-key", "x-amz-security-token", "cookie")
HIDDEN = "(hidden)"
_KEY = {"authorization": HIDDEN}

# Which wire is spoken where, and whether the path says that it is a stream; else the body does.
_PATHS: tuple[tuple[re.Pattern[str], str, bool | None], ...] = (
    (re.compile(r"/v1/messages"), Messages.name, None),
    (re.compile(r"/api/v1/chat/completions"), OpenRouter.name, None),
    (re.compile(r"(/openai)?/v1/chat/completions"), Chat.name, None),
    (re.compile(r"/openai/deployments/[^/]+/chat/completions"), Chat.name, None),
    (re.compile(r"(/openai|/api)?/v1/responses"), Responses.name, None),
    (re.compile(r"/v1(?:beta)?/(?:\w+/)*models/(?P<model>[^/]+):streamGenerateContent"), Gemini.name, True),
    (re.compile(r"/v1(?:beta)?/(?:\w+/)*models/(?P<model>[^/]+):generateContent"), Gemini.name, False),
    (re.compile(r"/model/(?P<model>[^/]+)/converse-stream"), Converse.name, True),
    (re.compile(r"/model/(?P<model>[^/]+)/converse"), Converse.name, False),
    (re.compile(r"/model/(?P<model>[^/]+)/invoke-with-response-stream"), Invoke.name, True),
    (re.compile(r"/model/(?P<model>[^/]+)/invoke"), Invoke.name, False),
)


class InOnePiece(Struct, frozen=True):
    """The answer as JSON, although a stream was asked for."""

    answer: Answer


Reply: TypeAlias = Answer | InOnePiece | Complaint | Html | Lost

HELLO = Answer(steps=(say("Hello."),))


class FakeProvider:
    """Gives these replies, one for each request, and then always the last one that `otherwise` names."""

    def __init__(
        self,
        *replies: Reply,
        otherwise: Callable[[Asked], Reply] | None = None,
        port: int = 0,
        keyless: bool = False,
    ) -> None:
        kinds = (Messages, Invoke, Responses, Chat, OpenRouter, Gemini, Converse)
        self.wires: Mapping[str, Wire] = {kind.name: kind() for kind in kinds}
        self.address = ""
        self.asked: list[Asked] = []
        # Requests that broke a rule, with what they were told.
        self.refused: list[tuple[Asked, str]] = []
        self.models = ("llama3.2:latest",)
        # Connections: that were ever made, and that are there. Answers that are being given.
        self.opened = 0
        self.open = 0
        self.speaking = 0
        self._replies = deque(replies)
        self._otherwise = otherwise or (lambda _: HELLO)
        self._port = port
        # As servers of one's own, it asks for no key.
        self._keyless = keyless
        self._listening: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self._moved = asyncio.Event()

    def will_say(self, *replies: Reply) -> None:
        self._replies.extend(replies)

    @property
    def responses(self) -> Responses:
        wire = self.wires[Responses.name]
        assert isinstance(wire, Responses)
        return wire

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self._port, backlog=BACKLOG
        )
        host, port = self._listening.sockets[0].getsockname()
        self.address = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._listening is not None
        self._listening.close()
        for connection in list(self._connections):
            connection.leave()
        await self.until(lambda: self.open == 0)

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until this is so, by what requests and connections do."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not true():
                self._moved.clear()
                await self._moved.wait()

    def report(self) -> Json:
        """For whoever is in another process."""
        return {
            "asked": len(self.asked),
            "refused": len(self.refused),
            "opened": self.opened,
            "open": self.open,
            "speaking": self.speaking,
        }

    def met(self, connection: "_Connection") -> None:
        self._connections.add(connection)
        self.opened += 1
        self.open += 1
        self._moved.set()

    def lost(self, connection: "_Connection") -> None:
        self._connections.discard(connection)
        self.open -= 1
        self._moved.set()

    def moved(self, speaking: int) -> None:
        self.speaking += speaking
        self._moved.set()

    def reply_to(
        self, path: str, headers: Mapping[str, str], raw: bytes
    ) -> "tuple[Wire, Asked, Reply] | None":
        """Who answers what; None where nobody lives."""
        place = _place_of(path)
        if place is None:
            return None
        name, model, streamed = place
        body = msgspec.json.decode(raw)
        asked = Asked(
            number=len(self.asked) + 1,
            wire=name,
            path=path,
            headers={name: HIDDEN if name in SECRETS else value for name, value in headers.items()},
            body=body,
            raw=raw,
            model=model or str(body.get("model", "")),
            streamed=bool(body.get("stream")) if streamed is None else streamed,
        )
        self.asked.append(asked)
        wire = self.wires[name]
        refusal = wire.refusal(replace(asked, headers={**_KEY, **asked.headers}) if self._keyless else asked)
        if refusal is not None:
            self.refused.append((asked, refusal.words))
            return wire, asked, refusal
        return wire, asked, self._replies.popleft() if self._replies else self._otherwise(asked)


def _place_of(path: str) -> tuple[str, str | None, bool | None] | None:
    bare = path.partition("?")[0]
    for pattern, wire, streamed in _PATHS:
        found = pattern.fullmatch(bare)
        if found is not None:
            model = found.groupdict().get("model")
            return wire, unquote(model) if model else None, streamed
    return None


class _Connection(asyncio.Protocol):
    def __init__(self, fake: FakeProvider) -> None:
        self._fake = fake
        self._parser = httptools.HttpRequestParser(self)
        self._headers: dict[str, str] = {}
        self._path = ""
        self._body: list[bytes] = []
        self._moves: Iterator[Move] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._call_later = asyncio.get_running_loop().call_later

    # What asyncio says.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's are such, and do not say so.
        self._transport = cast("asyncio.Transport", transport)
        self._fake.met(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        self._fake.lost(self)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def leave(self) -> None:
        self._transport.abort()

    # What the parser says.

    def on_message_begin(self) -> None:
        self._headers, self._path, self._body = {}, "", []

    def on_url(self, url: bytes) -> None:
        self._path += url.decode("latin-1")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        if self._headers.get("expect", "").lower() == "100-continue":
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        if self._parser.get_method() == b"GET":
            self._give(HTTPStatus.OK, {}, self._told_on_the_side())
            return
        found = self._fake.reply_to(self._path, self._headers, b"".join(self._body))
        if found is None:
            self._give(HTTPStatus.NOT_FOUND, {}, {"error": f"nobody lives at {self._path}"})
            return
        self._answer(*found)
        self._fake.moved(0)

    # What we say.

    def _told_on_the_side(self) -> Json:
        if self._path == "/api/tags":
            return {"models": [{"name": name, "model": name} for name in self._fake.models]}
        return self._fake.report()

    def _answer(self, wire: Wire, asked: Asked, reply: Reply) -> None:
        match reply:
            case Answer() if asked.streamed:
                self._begin(HTTPStatus.OK, {"content-type": wire.content_type}, "transfer-encoding: chunked")
                self._fake.moved(+1)
                self._moves = moves_of(reply, wire, asked)
                self._go_on()
            case Answer():
                self._give(HTTPStatus.OK, {}, wire.whole(reply, asked))
            case InOnePiece(answer=answer):
                self._give(HTTPStatus.OK, {}, wire.whole(answer, asked))
            case Complaint():
                headers, body = wire.complaint(reply)
                hints = reply.retry.headers if reply.retry is not None else {}
                self._give(wire.form(reply).status, {**headers, **hints}, body)
            case Html(status=status, page=page):
                self._give_bytes(status, {"content-type": "text/html"}, page.encode())
            case Lost():
                self._transport.abort()

    def _give(self, status: int, headers: Mapping[str, str], body: Json) -> None:
        self._give_bytes(status, {"content-type": "application/json", **headers}, encode(body))

    def _give_bytes(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self._begin(status, headers, f"content-length: {len(body)}")
        self._transport.write(body)

    def _begin(self, status: int, headers: Mapping[str, str], framing: str) -> None:
        lines = [f"HTTP/1.1 {status} {_phrase(status)}", *(f"{n}: {v}" for n, v in headers.items()), framing]
        self._transport.write("\r\n".join([*lines, "", ""]).encode("latin-1"))

    def _go_on(self) -> None:
        """Say what is to be said now, and come back for the rest when it is time."""
        assert self._moves is not None
        for move in self._moves:
            if isinstance(move, bytes):
                self._transport.write(b"%x\r\n%b\r\n" % (len(move), move))
            elif move is Gesture.HANG:
                return
            elif isinstance(move, Gesture):
                self._transport.abort()
                return
            else:
                self._timer = self._call_later(move, self._go_on)
                return
        self._transport.write(b"0\r\n\r\n")
        self._stop()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._moves is not None:
            self._moves = None
            self._fake.moved(-1)


def moves_of(answer: Answer, wire: Wire, asked: Asked) -> Iterator[Move]:
    """The answer as it is to be given: troubled, and at its pace."""
    frames = wire.frames(answer, asked)
    moves: list[Move] = list(frames)
    for trouble in answer.troubles:
        moves = [*trouble.disturb([move for move in moves if isinstance(move, bytes)], wire)]
    if answer.pace:
        return _paced(moves, answer.pace)
    return iter(_joined(moves))


def _paced(moves: Iterable[Move], seconds: float) -> Iterator[Move]:
    for move in moves:
        yield move
        yield seconds


def _joined(moves: Iterable[Move]) -> list[Move]:
    """What is said without a pause is said at once."""
    joined: list[Move] = []
    for move in moves:
        if isinstance(move, bytes) and joined and isinstance(joined[-1], bytes):
            joined[-1] += move
        elif move != b"":
            joined.append(move)
    return joined


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Overloaded"
