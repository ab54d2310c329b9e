"""A model behind HTTP: one request, its answer as it comes, and nothing left of either afterwards."""

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace
from prometheus_client import Counter

from chatd.domain.message import Cost
from chatd.errors import ProviderError
from chatd.kit.ids import new_id
from chatd.providers import failures
from chatd.providers.capabilities.target import Target
from chatd.providers.capabilities.vendors import vendor_of
from chatd.providers.credentials.signing import Credentials, keys_in
from chatd.providers.dialect import Body, Decoder, Dialect
from chatd.providers.events import (
    Accepted,
    Failed,
    Finished,
    Refusal,
    Started,
    StreamEvent,
    ToolCalled,
    ToolInput,
    Warned,
)
from chatd.providers.failures.request_ids import request_id_in, safe_request_id
from chatd.providers.failures.secrets import without_keys
from chatd.providers.model import Request, Transcript
from chatd.providers.request.attachments import seen_types
from chatd.providers.request.tool_names import aliases
from chatd.providers.request.writer import RequestWriter
from chatd.providers.transport.addresses import url_of
from chatd.providers.transport.aws_frames import AwsFrames, BadFrameError, InvokeFrames
from chatd.providers.transport.headers import headers_for
from chatd.providers.transport.http import phase_of, transport_errors
from chatd.providers.transport.source import LEFTOVER_SECONDS, Limits, Post, Source
from chatd.providers.transport.sse import Frame, FrameTooLargeError, SseFrames
from chatd.providers.transport.tap import Sending, Tap, post_through
from chatd.providers.transport.timed_reader import TimedReader

# Of an error, this much is read; of an answer that is no stream, this much.
ERROR_BYTES_MAX = 64 * 1024
WHOLE_BYTES_MAX = 1024 * 1024
LEFTOVER_BYTES_MAX = 64 * 1024
# Of a stream. The longest answers have a few megabytes, and some more with pictures.
ANSWER_BYTES_MAX = 32 * 1024 * 1024

SAID_ANEW = "The provider did not take back what it had said itself; it was told only the words."

OK = 200

SKIPPED = Counter(
    "chatd_provider_events_skipped",
    "Events of providers that no dialect knows: left out, and perhaps worth knowing.",
    ["provider"],
)

Framing = Literal["sse", "aws", "aws-invoke"]


class Frames(Protocol):
    def feed(self, data: bytes) -> list[Frame]: ...

    def close(self) -> list[Frame]: ...


# How an answer is cut into frames, and the type of content that is cut like this.
FRAMINGS: Final[Mapping[Framing, tuple[Callable[[], Frames], str]]] = {
    "sse": (SseFrames, "text/event-stream"),
    "aws": (AwsFrames, "application/vnd.amazon.eventstream"),
    "aws-invoke": (InvokeFrames, "application/vnd.amazon.eventstream"),
}

# What reading an answer raises: the network's errors, and our own when a time limit has passed.


def read_errors() -> tuple[type[Exception], ...]:
    return ProviderError, *transport_errors()


@runtime_checkable
class TakesWholeAnswers(Protocol):
    """A dialect whose servers answer now and then in one piece, although a stream was asked for."""

    def whole_answer(
        self, body: bytes, target: Target, new_id: Callable[[], str]
    ) -> Sequence[StreamEvent]: ...


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where a provider is called, with which credentials and time limits."""

    base_url: str
    credentials: Credentials
    post: Post
    # Those of the provider's settings.
    headers: Mapping[str, str] = {}
    framing: Framing = "sse"
    limits: Limits = Limits()


class Pricing(Protocol):
    def __call__(self, finished: Finished, *, answered_by: str = "") -> Cost | None: ...


def _unknown_cost(finished: Finished, *, answered_by: str = "") -> Cost | None:  # noqa: ARG001
    return None


class HttpModel:
    """A `Model`."""

    writes_texts = True

    def __init__(
        self,
        target: Target,
        dialect: Dialect,
        endpoint: Endpoint,
        *,
        context_limit: int = 0,
        compression_threshold: int = 100,
        cost: Pricing = _unknown_cost,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        self.name = f"{target.provider}/{target.model}"
        self.provider = target.provider
        self.provider_id = target.provider_id
        self.vendor = vendor_of(target)
        self.context_limit = context_limit
        self.compression_threshold = compression_threshold
        self.sees = seen_types(target)
        self.first_seconds = self.silence_seconds = math.inf
        self.cost = cost
        self._target = target
        self._dialect = dialect
        self._endpoint = endpoint
        self._new_id = new_id

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        answer, events = await self._begin(request)
        meant = aliases(tool.name for tool in request.tools)
        try:
            yield _renamed(events, meant)
            while not answer.is_over:
                # Here and not in a method of the answer, because it happens for every delta.
                try:
                    data = await answer.read()
                except read_errors() as error:
                    raise answer.broken(error)  # noqa: B904 - it knows
                if events := answer.take(data):
                    yield _renamed(events, meant)
            if answer.failure is not None:
                raise answer.failure
            await answer.read_leftover()
        finally:
            answer.close()

    async def _begin(self, request: Request) -> "tuple[_AnswerReader, list[StreamEvent]]":
        """The answer, and what it begins with.

        A provider that has lost the chat so far is told it again. One that does not recognise what it wrote
        itself, perhaps because another of its models did, is told it as a stranger would be.
        """
        try:
            return await self._ask(request, chain=True)
        except ProviderError as error:
            is_refused = error.fault == "replay_mismatch" and error.status_code is not None
            if error.fault != "chain_broken" and not is_refused:
                raise
        if not is_refused:
            return await self._ask(request, chain=False)
        # The next step of the chat would be refused as well.
        messages = (
            request.messages if isinstance(request.messages, Transcript) else Transcript(request.messages)
        )
        messages.disown()
        request = replace(request, messages=messages)
        return await self._ask(request, chain=False, note=(SAID_ANEW,))

    async def _ask(
        self, request: Request, *, chain: bool, note: tuple[str, ...] = ()
    ) -> "tuple[_AnswerReader, list[StreamEvent]]":
        writer = RequestWriter(request, self._target, self._dialect)
        body = writer.write(await request.read_files(writer.files()), chain=chain)
        begun = asyncio.get_running_loop().time()
        source, signed = await self._send(body, request.tap)
        answer = _AnswerReader(source, self._endpoint, self._target.provider, signed, begun=begun)
        try:
            await answer.check_status()
            events = await self._first(answer)
        except BaseException:
            answer.close()
            raise
        return answer, [*_before(answer, (*note, *body.warnings)), *answer.safe(events)]

    async def _send(self, body: Body, tap: Tap | None) -> "tuple[Source, _Signed]":
        """The answer, and what it was asked for with."""
        endpoint, provider = self._endpoint, self._target.provider
        url = url_of(endpoint.base_url, self._dialect.path(self._target))
        headers = headers_for(endpoint.headers, body.headers)
        limit = asyncio.timeout(endpoint.limits.first_byte_seconds)
        as_whom = _Signed()
        try:
            async with limit:
                signed = await endpoint.credentials.sign(url, body.json)
                # What an administrator sends along in headers is for the provider's eyes as well.
                keys = (*keys_in(signed), *endpoint.headers.values())
                as_whom = _Signed(keys=keys, has_key=bool(signed))
                headers = {**headers, **signed}
                if tap is None:
                    return await endpoint.post(url, headers, body.json), as_whom
                private = frozenset(map(str.lower, endpoint.headers))
                sending = Sending(url=url, headers=headers, body=body.json, keys=keys, private=private)
                return await post_through(tap, endpoint.post, sending), as_whom
        except ProviderError as error:
            # Credentials are shared by providers and do not know this one's name.
            error.provider = error.provider or provider
            raise
        except transport_errors() as error:
            if limit.expired():
                raise failures.silent(provider) from error
            failure = failures.from_exception(error, phase=phase_of(error), provider=provider)
            raise failures.redacted(failure, as_whom.keys) from error

    async def _first(self, answer: "_AnswerReader") -> list[StreamEvent]:
        if answer.is_stream:
            events = await answer.begin(self._dialect.decoder(self._target, self._new_id))
        elif isinstance(self._dialect, TakesWholeAnswers):
            body = await answer.whole()
            events = answer.end_with(self._dialect.whole_answer(body, self._target, self._new_id))
        else:
            raise answer.completed(failures.malformed(f"an answer of the type {answer.content_type}"))
        if answer.failure is not None and (not events or answer.failure.fault == "chain_broken"):
            raise answer.failure
        return events


class _Signed(Struct, frozen=True, kw_only=True):
    """What a call was made with."""

    # What only the provider may read, wherever it turns up.
    keys: tuple[str, ...] = ()
    has_key: bool = False


class _AnswerReader:
    """One answer, from its status to its end."""

    def __init__(
        self, source: Source, endpoint: Endpoint, provider: str, signed: _Signed, *, begun: float
    ) -> None:
        make_frames, wanted_type = FRAMINGS[endpoint.framing]
        self.failure: ProviderError | None = None
        # What is no stream has no more to say once it was read.
        self.is_over = True
        self.request_id = safe_request_id(request_id_in(source.headers), signed.keys)
        self.content_type = source.headers.get("content-type", wanted_type).partition(";")[0].strip().lower()
        self.is_stream = self.content_type == wanted_type
        self._source = source
        self._provider = provider
        self._keys = signed.keys
        self._has_key = signed.has_key
        self._reader = TimedReader(source, endpoint.limits, begun=begun, provider=provider)
        self.read = self._reader.read
        self._frames = make_frames()
        self._decoder: Decoder | None = None
        self._size = 0

    async def check_status(self) -> None:
        """Raises ProviderError for whatever is not a success."""
        status, headers = self._source.status, self._source.headers
        if status != OK:
            try:
                body = await self._up_to(ERROR_BYTES_MAX)
            except ProviderError:
                # The status says more than how its explanation broke off.
                body = b""
            failure = failures.from_response(status, headers, body, provider=self._provider, keys=self._keys)
            raise self.completed(failure)

    async def begin(self, decoder: Decoder) -> list[StreamEvent]:
        """The first events, or none if the answer ends without any; `failure` says why."""
        self._decoder = decoder
        self.is_over = False
        events: list[StreamEvent] = []
        while not events and not self.is_over:
            try:
                data = await self.read()
            except read_errors() as error:
                raise self.broken(error)  # noqa: B904 - it knows
            events = self.take(data)
        return events

    def take(self, data: bytes) -> list[StreamEvent]:
        """What this portion says, perhaps nothing; an empty one is the end. Raises ProviderError."""
        self._reader.heard()
        self._size += len(data)
        if self._size > ANSWER_BYTES_MAX:
            raise self.completed(
                failures.failed("answer_too_large", detail=f"more than {ANSWER_BYTES_MAX} bytes")
            )
        decoder = self._decoder
        assert decoder is not None, "an answer that is no stream"
        out: list[StreamEvent] = []
        try:
            frames = self._frames.feed(data) if data else self._frames.close()
        except FrameTooLargeError as error:
            raise self.completed(failures.failed("answer_too_large", detail=str(error))) from error
        except BadFrameError as error:
            raise self.completed(failures.malformed(str(error) or type(error).__name__)) from error
        feed = decoder.feed
        for name, payload in frames:
            feed(name, payload, out)
        if not data:
            decoder.close(out)
            self.is_over = True
        if out and isinstance(out[-1], (Finished, Failed)):
            return self.end_with(out)
        return out

    def end_with(self, events: Sequence[StreamEvent]) -> list[StreamEvent]:
        """These are the last ones."""
        self.is_over = True
        *before, last = self.safe(events)
        if not isinstance(last, Failed):
            return [*before, last]
        self.failure = self.completed(last.error)
        return before

    def safe(self, events: Sequence[StreamEvent]) -> list[StreamEvent]:
        """Without keys in what is kept of an answer beside its words. For its first and last events."""
        return [_without(self._keys, event) for event in events]

    async def whole(self) -> bytes:
        """An answer that is no stream. Raises ProviderError when it is too large for one."""
        body = await self._up_to(WHOLE_BYTES_MAX + 1)
        if len(body) > WHOLE_BYTES_MAX:
            raise self.completed(failures.malformed(f"more than {WHOLE_BYTES_MAX} bytes that are no stream"))
        return body

    async def read_leftover(self) -> None:
        """The answer is complete, and whatever follows is not part of it. Read to its end, it gives its
        connection back; if it does not end at once, that is not worth a wait.
        """
        self._reader.hurry(LEFTOVER_SECONDS)
        size = 0
        try:
            while (data := await self._portion()) and size < LEFTOVER_BYTES_MAX:
                size += len(data)
        except read_errors():
            pass  # Then the connection is dropped.

    def close(self) -> None:
        if self._decoder is not None and self._decoder.skipped:
            SKIPPED.labels(self._provider).inc(self._decoder.skipped)
        self._reader.close()
        self._source.close()

    def completed(self, error: ProviderError) -> ProviderError:
        """With what only the transport knows of it."""
        error = failures.redacted(failures.named(error, self._provider), self._keys)
        error = error if self._has_key else failures.keyless(error)
        error.request_id = error.request_id or self.request_id
        return error

    def broken(self, error: Exception) -> ProviderError:
        """Why reading failed: the network's error as a cause, or the error of our time limit as it is."""
        if isinstance(error, ProviderError):
            return self.completed(error)
        failure = self.completed(failures.from_exception(error, phase="stream", provider=self._provider))
        failure.__cause__ = error
        return failure

    async def _up_to(self, bytes_max: int) -> bytes:
        portions: list[bytes] = []
        size = 0
        try:
            while size < bytes_max and (data := await self._portion()):
                portions.append(data)
                size += len(data)
        except read_errors() as error:
            raise self.broken(error)  # noqa: B904 - it knows
        return b"".join(portions)[:bytes_max]

    async def _portion(self) -> bytes:
        data = await self.read()
        self._reader.heard()
        return data


def _before(answer: _AnswerReader, warnings: Sequence[str]) -> Iterator[StreamEvent]:
    """What is known before the provider says anything."""
    if warnings:
        yield Warned(tuple(dict.fromkeys(warnings)))
    if answer.request_id:
        yield Accepted(answer.request_id)


def _without(keys: Sequence[str], event: StreamEvent) -> StreamEvent:
    match event:
        case Started():
            return Started(without_keys(event.response_id, keys), without_keys(event.model, keys))
        case Finished(refusal=refusal) if refusal is not None:
            words = (without_keys(refusal.category, keys), without_keys(refusal.explanation, keys))
            return replace(event, refusal=Refusal(*words))
        case _:
            return event


def _renamed(events: list[StreamEvent], meant: Mapping[str, str]) -> list[StreamEvent]:
    """Some tools were told the model under names that it can say."""
    if not meant:
        return events
    return [
        replace(event, tool=meant.get(event.tool, event.tool))
        if isinstance(event, ToolInput | ToolCalled) and event.tool is not None
        else event
        for event in events
    ]
