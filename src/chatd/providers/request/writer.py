"""A request, written down: what was written for an earlier step of the chat is not written again.

A history falls into segments: an assistant's messages and everything up to the next one's. Nothing in a
segment depends on a later one, so a segment that is followed by two others is written for good, as bytes,
and kept with the transcript. What is left to do for a step does not grow with the chat; only the bytes do.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions
from chatd.domain.ids import FileId
from chatd.domain.message import Effort, Message, Role, text
from chatd.domain.part import Json
from chatd.domain.setup import ResponseFormat
from chatd.kit.text import valid_json, valid_text
from chatd.providers import failures
from chatd.providers.capabilities.target import DialectName, Target
from chatd.providers.dialect import Body, Dialect, Head
from chatd.providers.model import Named, Request, ToolChoice, ToolSpec, Transcript
from chatd.providers.request.pairing import Taken
from chatd.providers.request.prepare import files_needed, origin_of, prepare
from chatd.providers.request.shown_media import ShownMedia
from chatd.providers.request.tool_names import portable
from chatd.providers.request.wire_turn import WireTurn

# Marks for prompt caching are set on the last messages, and move on with them.
OPEN_SEGMENTS = 2
OUTPUT_TOKENS = 32_000

_EFFORTS = tuple(Effort)
# Whose words want an answer.
_ASKING = frozenset({"user", "tool"})
_encoder = msgspec.json.Encoder()


class _Written:
    """What is written for good of a transcript, for one target."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.messages = 0
        self.items = bytearray()
        self.call_ids: set[str] = set()
        self.system: tuple[str, ...] = ()
        # Of these messages. So many of it were left out when they were written.
        self.media = ShownMedia()
        self.media_left_out = 0

    def __len__(self) -> int:
        """How many bytes it keeps."""
        return len(self.items)


class RequestWriter:
    """One request on its way. `files` are the bytes it needs; with them at hand, `write` gives the body."""

    def __init__(self, request: Request, target: Target, dialect: Dialect) -> None:
        self._request = request
        self._target = target = target if request.is_kept else _unkept(target)
        self._dialect = dialect
        self._written = _kept(request.messages, target)
        self._media = self._follow_media()
        # Whether what the provider was asked to keep is still there, as far as we know.
        self._is_kept = True
        self._warnings: list[str] = []

    def files(self) -> list[FileId]:
        # Should it turn out that the provider has kept nothing, everything is written anew.
        messages = self._request.messages if self._chained() is not None else self._rest()
        return files_needed([*messages, *self._request.then], self._media.files)

    def write(self, files: Mapping[FileId, bytes], *, chain: bool = True) -> Body:
        """Raises ProviderError when there is nothing to send, or nothing that could be sent.

        With `chain`, it may go on from an answer that the provider has kept. Without, nothing is relied upon
        that it may have kept: a provider that has lost an answer has lost its parts too.
        """
        if not chain:
            self._is_kept = False
            self._written = _Written(self._target)
        self._begin()
        if chain and not self._request.then and (body := self._going_on(files)) is not None:
            return body
        self._settle(files)
        segments = [[*self._rest()], [*self._request.then]] if self._request.then else [[*self._rest()]]
        turns = self._turns(segments, files, self._taken())
        settled = self._written.items
        is_asked = settled or any(turn.role in _ASKING for turn in turns)
        newest = self._items(turns, newest=True) if is_asked else b""
        if not newest:
            raise failures.unanswerable()
        items = b"".join((settled, b",", newest)) if settled else newest
        return self._body(items)

    def _going_on(self, files: Mapping[FileId, bytes]) -> Body | None:
        """Only what is new since an answer that the provider has kept; None where that cannot stand alone."""
        previous = self._chained()
        if previous is None:
            return None
        place, response = previous
        turns = self._turns([self._rest()[place:]], files, self._taken())
        # The answer comes first, unless there is nothing in it that could be sent.
        new = turns[1:] if turns and turns[0].role == "assistant" else turns
        if not new or any(turn.role == "assistant" for turn in new):
            return None
        return self._body(self._items(new, newest=True), previous_response=response)

    def _body(self, items: bytes, previous_response: str | None = None) -> Body:
        request, target = self._request, self._target
        head = Head(
            system=tuple(valid_text(words) for words in (*self._written.system, *request.system)),
            tools=_explained(request.tools),
            tool_choice=_choice(request, target),
            provider_tools=request.provider_tools,
            effort=effective_effort(request.effort, target.options),
            max_output_tokens=_output_tokens(request, target),
            response_format=_formatted(request.response_format),
            previous_response=previous_response,
        )
        body = self._dialect.write_body(items, head, _sampling_as_asked(target, request))
        return Body(body.json, body.headers, (*self._warnings, *body.warnings))

    def _follow_media(self) -> ShownMedia:
        """What is shown of all that tools have shown. If some of it is written for good, and is not shown any
        more, everything is written anew.
        """
        written = self._written
        media = written.media.after(self._rest())
        if written.media_left_out < min(written.media.count, media.left_out):
            self._written = _kept(self._request.messages, self._target, anew=True)
        return media

    def _rest(self) -> Sequence[Message]:
        """What is not written for good."""
        return self._request.messages[self._written.messages :]

    def _begin(self) -> None:
        """What the system says first is no part of the conversation."""
        written = self._written
        if not written.messages:
            leading = _leading_system(self._request.messages)
            written.system = tuple(words for m in leading if (words := text(m)).strip())
            written.messages = len(leading)

    def _settle(self, files: Mapping[FileId, bytes]) -> None:
        """Write for good whatever is followed by enough."""
        written = self._written
        segments = list(_segments(self._rest()))
        for segment in segments[: max(0, len(segments) - OPEN_SEGMENTS)]:
            taken = self._taken()
            items = self._items(self._turns([segment], files, taken), newest=False)
            # Only now: what could not be written will be written again.
            if items:
                written.items += b"," + items if written.items else items
            written.call_ids |= taken.new
            written.messages += len(segment)
            written.media = written.media.after(segment)
            written.media_left_out = self._media.left_out

    def _taken(self) -> Taken:
        return Taken(self._written.call_ids)

    def _turns(
        self, segments: Sequence[Sequence[Message]], files: Mapping[FileId, bytes], taken: Taken
    ) -> list[WireTurn]:
        turns: list[WireTurn] = []
        for segment in segments:
            ready = prepare(segment, self._target, files, taken)
            turns += ready.turns if self._is_kept else (replace(turn, internal=None) for turn in ready.turns)
            self._warnings += ready.warnings
        return turns

    def _items(self, turns: Sequence[WireTurn], *, newest: bool) -> bytes:
        if not turns:
            return b""
        written = self._dialect.write_turns(turns, self._target, newest=newest)
        self._warnings += written.warnings
        return b",".join(_encoded(item) for item in written.items)

    def _chained(self) -> tuple[int, str] | None:
        """Where the newest reply is among the rest, and its id, if the provider has kept what led to it."""
        options = self._target.options.openai
        if self._target.dialect is not DialectName.RESPONSES or options is None or not options.store:
            return None
        rest = self._rest()
        for place in range(len(rest) - 1, -1, -1):
            if rest[place].role is Role.ASSISTANT:
                response = _kept_by_provider(rest[place], self._target)
                return (place, response) if response is not None and place + 1 < len(rest) else None
        return None


def _explained(tools: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
    """Tools with names and descriptions that can be sent."""
    named = tuple(replace(tool, name=portable(tool.name)) for tool in tools)
    try:
        _encoder.encode(named)
    except UnicodeEncodeError:
        return msgspec.convert(valid_json(msgspec.to_builtins(named)), tuple[ToolSpec, ...])
    return named


def _choice(request: Request, target: Target) -> ToolChoice:
    match request.tool_choice:
        case "unwanted":
            # For Anthropic another choice is another conversation, of which nothing is cached.
            return None if target.dialect is DialectName.ANTHROPIC else "none"
        case Named(tool=tool):
            return Named(portable(tool))
        case choice:
            return choice


def _formatted(wanted: ResponseFormat | None) -> ResponseFormat | None:
    """Words are what a model says by itself."""
    return wanted if wanted is not None and wanted.type != "text" else None


def _sampling_as_asked(target: Target, request: Request) -> Target:
    """What the call asks for comes before what an administrator has set, and is treated the same way."""
    asked = {"temperature": request.temperature, "top_p": request.top_p}
    given = {name: value for name, value in asked.items() if value is not None}
    return replace(target, options=replace(target.options, **given)) if given else target


def _unkept(target: Target) -> Target:
    """The same, and nothing of the call is kept by the provider."""
    openai = target.options.openai
    if openai is None or not openai.store:
        return target
    return replace(target, options=replace(target.options, openai=replace(openai, store=False)))


def effective_effort(asked: Effort | None, options: CallOptions) -> Effort | None:
    """What was asked for or is usual, and not more than is allowed; None leaves it to the model."""
    allowed = options.reasoning_effort
    if allowed is None:
        return None
    wanted = asked or allowed.default
    return min(wanted, allowed.max, key=_EFFORTS.index) if wanted is not None else None


def _output_tokens(request: Request, target: Target) -> int | None:
    """What was asked for or set, and not more than the model can say.

    None: no limit is set, and nothing is known of the model. Its server knows, and refuses a guess
    that is too large; only Anthropic insists on a number.
    """
    limit = target.abilities.output_limit
    wanted = request.max_output_tokens or (_most_set(target.options) if request.is_reply else None)
    if wanted is None and (limit or target.dialect is DialectName.ANTHROPIC):
        wanted = OUTPUT_TOKENS if request.is_reply else max(OUTPUT_TOKENS, limit or 0)
    bounds = [bound for bound in (limit, request.output_room) if bound]
    return min(wanted, *bounds) if wanted and bounds else wanted


def _most_set(options: CallOptions) -> int | None:
    own = options.openai.max_completion_tokens if options.openai is not None else None
    return options.max_output_tokens or own


def _kept(messages: Sequence[Message], target: Target, *, anew: bool = False) -> _Written:
    if not isinstance(messages, Transcript):
        return _Written(target)
    written = messages.written
    if anew or not isinstance(written, _Written) or written.target != target:
        written = messages.written = _Written(target)
    return written


def _leading_system(messages: Sequence[Message]) -> list[Message]:
    leading = []
    for message in messages:
        if message.role is not Role.SYSTEM:
            break
        leading.append(message)
    return leading


def _segments(messages: Sequence[Message]) -> Iterator[list[Message]]:
    segment: list[Message] = []
    for message in messages:
        begins = message.role is Role.ASSISTANT and segment and segment[-1].role is not Role.ASSISTANT
        if begins:
            yield segment
            segment = []
        segment.append(message)
    if segment:
        yield segment


def _kept_by_provider(message: Message, target: Target) -> str | None:
    origin = origin_of(message)
    if origin.get("provider") != target.provider_id or origin.get("asked") != target.model:
        return None
    reply = message.internal.get("reply")
    return reply.get("response_id") if isinstance(reply, dict) and reply.get("stored") else None


def _encoded(item: Json) -> bytes:
    try:
        return _encoder.encode(item)
    except UnicodeEncodeError:
        # Half a character, which models and tools produce now and then, and which no provider accepts.
        return _encoder.encode(valid_json(msgspec.to_builtins(item)))
