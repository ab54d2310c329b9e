"""The smallest dialect there can be: a frame is a piece of text, and words of its own end an answer."""

from collections.abc import Callable, Mapping, Sequence

from chatd.domain.branch import FIRST_BRANCH
from chatd.domain.ids import MessageId, Micros
from chatd.domain.message import Message, Role
from chatd.domain.part import Text
from chatd.kit.codec import encode
from chatd.providers import failures
from chatd.providers.capabilities.target import DialectName, Target
from chatd.providers.credentials.signing import Credentials, NoCredentials
from chatd.providers.dialect import Body, Head, Written
from chatd.providers.events import Failed, Finished, Started, Stop, StreamEvent, TextDelta
from chatd.providers.http_model import Endpoint, HttpModel
from chatd.providers.model import Request
from chatd.providers.request.wire_turn import SaidText, WireTurn
from chatd.providers.transport.source import Limits, Post

TARGET = Target(
    provider_id="p1", provider="plain", type="openai-compatible", dialect=DialectName.CHAT, model="m"
)
FINISHED = Finished(Stop.DONE)


class PlainDecoder:
    def __init__(self) -> None:
        self._over = False
        self.skipped = 0

    def feed(self, name: bytes, data: bytes, out: list[StreamEvent]) -> None:
        if self._over:
            return
        match name, data:
            case b"error", _:
                self._over = True
                out.append(Failed(failures.in_stream(code=data.decode(), message="It failed.")))
            case b"strange", _:
                self.skipped += 1
            case _, b"[BEGIN]":
                out.append(Started("r1", "m"))
            case _, b"[END]":
                self._over = True
                out.append(FINISHED)
            case _:
                out.append(TextDelta(data.decode()))

    def close(self, out: list[StreamEvent]) -> None:
        if not self._over:
            out.append(Failed(failures.broke_off()))


class Plain:
    def __init__(
        self,
        *,
        path: str = "/chat/completions",
        headers: Mapping[str, str] | None = None,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self._path = path
        self._headers = dict(headers or {})
        self._warnings = warnings

    def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
        return Written([p.text for turn in turns for p in turn.parts if isinstance(p, SaidText)])

    def write_body(self, items: bytes, head: Head, target: Target) -> Body:
        chained = b"" if head.previous_response is None else b',"after":' + encode(head.previous_response)
        return Body(b'{"said":[' + items + b"]" + chained + b"}", self._headers, self._warnings)

    def path(self, target: Target) -> str:
        return self._path

    def decoder(self, target: Target, new_id: Callable[[], str]) -> PlainDecoder:
        return PlainDecoder()


class PlainAndWhole(Plain):
    def whole_answer(self, body: bytes, target: Target, new_id: Callable[[], str]) -> list[StreamEvent]:
        return [TextDelta(body.decode()), FINISHED]


def model_at(
    base_url: str,
    post: Post,
    *,
    dialect: Plain | None = None,
    target: Target = TARGET,
    headers: Mapping[str, str] | None = None,
    credentials: Credentials | None = None,
    limits: Limits | None = None,
) -> HttpModel:
    endpoint = Endpoint(
        base_url=base_url,
        credentials=credentials or NoCredentials(),
        post=post,
        headers=headers or {},
        limits=limits or Limits(),
    )
    return HttpModel(target, dialect or Plain(), endpoint)


def asking(words: str = "Hello?") -> Request:
    return Request(messages=[_message(words)])


def _message(words: str) -> Message:
    return Message(
        id=MessageId(1),
        revision=1,
        branch=FIRST_BRANCH,
        created_at=Micros(0),
        tokens=1,
        role=Role.USER,
        content=(Text(text=words),),
    )


async def everything(
    model: HttpModel,
    request: Request | None = None,
    *,
    heard: list[StreamEvent] | None = None,
    on_hearing: Callable[[], object] = lambda: None,
) -> list[StreamEvent]:
    """What the model says until its end; `heard` has it even if that never comes."""
    events = [] if heard is None else heard
    async for batch in model.stream(request or asking()):
        events += batch
        on_hearing()
    return events


def sse(*pieces: str) -> bytes:
    return b"".join(b"data: " + piece.encode() + b"\n\n" for piece in pieces)
