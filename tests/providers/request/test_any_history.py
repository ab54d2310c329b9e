"""Whatever a chat has come to hold, and whoever wrote it: the request is one that the provider accepts."""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from chatd.agent.generation.reply import Reply
from chatd.catalog.models.options import AnthropicOptions, CallOptions, EffortRange, OpenAIOptions
from chatd.domain.ids import CallId, FileId
from chatd.domain.message import Draft, Effort, Message, Role
from chatd.domain.part import File, FileReference, Json, Part, Reasoning, Source, Text, ToolCall, ToolResult
from chatd.kit import codec
from chatd.kit.clock import SystemClock
from chatd.providers.capabilities.known import abilities_of
from chatd.providers.capabilities.target import DialectName, Files, Quirks, Target
from chatd.providers.events import Finished, StreamEvent
from chatd.providers.model import Request, ToolSpec, Transcript
from chatd.providers.registry import dialect_of
from chatd.providers.request.writer import RequestWriter
from chatd.providers.scripted.model import ScriptedModel
from tests.providers.dialects.anthropic import streams as anthropic
from tests.providers.dialects.anthropic.validator import problems as anthropic_problems
from tests.providers.dialects.chat import streams as chat
from tests.providers.dialects.chat import words as chat_words
from tests.providers.dialects.chat.validator import problems as chat_problems
from tests.providers.dialects.converse import streams as converse
from tests.providers.dialects.converse.validator import problems as converse_problems
from tests.providers.dialects.gemini import streams as gemini
from tests.providers.dialects.gemini.validator import problems as gemini_problems
from tests.providers.dialects.responses import answers as responses
from tests.providers.dialects.responses import wire as responses_wire
from tests.providers.dialects.responses.validator import problems as responses_problems
from tests.providers.histories import message

EXAMPLES = 40
NOW = "2027-01-15T08:00:00Z"
# In whatever only a stranger may see.
SECRET = "secret-of-a-stranger"

_PICTURE = "iVBORw0KGgo="
_FILES = Files(images=True, pdf=True, text=True, image_bytes_max=64)
_TOOL = ToolSpec(name="echo", description="Says it again.", input_schema={"type": "object"})


class Case(Struct, frozen=True):
    """A model that is asked, and who would refuse to answer."""

    target: Target
    problems: Callable[[Any], list[str]]


def _target(dialect: DialectName, type_: str, model: str, **more: Any) -> Target:
    return Target(
        provider_id="own",
        provider="acme",
        type=type_,
        dialect=dialect,
        model=model,
        abilities=abilities_of(dialect, model),
        **{"files": _FILES, **more},
    )


def _effort(**more: Any) -> CallOptions:
    return CallOptions(reasoning_effort=EffortRange(default=Effort.HIGH, max=Effort.MAX), **more)


def _signed(body: Any) -> list[str]:
    return gemini_problems(body, signed=True)


_CLAUDE, _GPT, _CHAT = DialectName.ANTHROPIC, DialectName.RESPONSES, DialectName.CHAT
CASES: Mapping[str, Case] = {
    "claude": Case(
        _target(_CLAUDE, "anthropic", "claude-opus-4-8", api_version="2026-10-21"), anthropic_problems
    ),
    "claude with a budget": Case(
        _target(_CLAUDE, "anthropic", "claude-sonnet-4-5", api_version="2026-10-21", options=_effort()),
        anthropic_problems,
    ),
    "claude without its thoughts": Case(
        _target(
            _CLAUDE,
            "anthropic",
            "claude-sonnet-4-5",
            api_version="2026-10-21",
            options=CallOptions(anthropic=AnthropicOptions(send_reasoning=False)),
        ),
        anthropic_problems,
    ),
    "gpt": Case(_target(_GPT, "openai", "gpt-5.2"), responses_problems),
    "gpt that keeps answers": Case(
        _target(_GPT, "openai", "gpt-5.2", options=CallOptions(openai=OpenAIOptions(store=True))),
        responses_problems,
    ),
    "gpt without lists": Case(
        _target(_GPT, "azure", "gpt-4o", quirks=Quirks(list_outputs=False)), responses_problems
    ),
    "chat": Case(_target(_CHAT, "openai-compatible", "some-model"), chat_problems),
    "chat of openrouter": Case(
        _target(
            _CHAT,
            "openrouter",
            "anthropic/claude-opus-4-8",
            quirks=Quirks(reasoning_field="reasoning_details", cache_marks=True),
        ),
        chat_problems,
    ),
    "chat of kimi": Case(
        _target(
            _CHAT,
            "openai-compatible",
            "kimi",
            quirks=Quirks(
                reasoning_field="reasoning_content", replay_empty_reasoning=True, tool_id_style="alnum9"
            ),
        ),
        chat_problems,
    ),
    "chat of gemma": Case(
        _target(
            _CHAT,
            "openai-compatible",
            "gemma",
            quirks=Quirks(system_role="merged", string_content_only=True),
        ),
        chat_problems,
    ),
    "gemini": Case(_target(DialectName.GEMINI, "google", "gemini-3-pro"), _signed),
    "gemini on vertex": Case(
        _target(DialectName.GEMINI, "google", "gemini-2.5-pro", route="vertex"),
        lambda body: gemini_problems(body, signed=False, vertex=True),
    ),
    "gemma of google": Case(
        _target(DialectName.GEMINI, "google", "gemma-3"), lambda body: gemini_problems(body, signed=False)
    ),
    "converse": Case(
        _target(DialectName.CONVERSE, "bedrock", "amazon.nova", quirks=Quirks(cache_marks=True)),
        converse_problems,
    ),
}


class _Author(ScriptedModel):
    """Nobody speaks here; only its name counts."""

    def __init__(self, provider_id: str, model: str) -> None:
        super().__init__(SystemClock(), context_limit=0)
        self.provider_id = provider_id
        self.name = f"acme/{model}"


def _heard() -> Mapping[DialectName, list[list[StreamEvent]]]:
    """What the models of each dialect say in the tests of its decoder, as far as it is a whole reply."""
    every: dict[DialectName, list[list[StreamEvent]]] = {
        _CLAUDE: [anthropic.read(each) for each in anthropic.STREAMS.values()],
        _GPT: [
            responses_wire.heard(*each, store=store)
            for each in responses.ANSWERS.values()
            for store in (False, True)
        ],
        _CHAT: [chat_words.decoded(each) for each in chat.STREAMS.values()],
        DialectName.GEMINI: [gemini.decoded(gemini.sse(*each)) for each in gemini.ANSWERS.values()],
        DialectName.CONVERSE: [converse.decoded(converse.wire(*each)) for each in converse.ANSWERS.values()],
    }
    return {
        dialect: [each for each in streams if each and isinstance(each[-1], Finished)]
        for dialect, streams in every.items()
    }


HEARD = _heard()


_numbers = count(1)


def _saved(events: Sequence[StreamEvent], author: _Author) -> Draft | None:
    reply = Reply(lambda: NOW)
    for event in events:
        reply.take(event)
    draft = reply.draft(author)
    if draft is None:
        return None
    # As a database gives it back. A provider gives its own calls ids that nothing else has.
    stored = codec.encode(draft).replace(b"srvtoolu_", b"srvtoolu_%d_" % next(_numbers))
    return msgspec.convert(codec.Decoder(dict).decode(stored), Draft)


def _marked(value: Json) -> Json:
    match value:
        case str():
            return SECRET + value
        case dict():
            return {name: _marked(inner) for name, inner in value.items()}
        case list():
            return [_marked(inner) for inner in value]
        case _:
            return value


_words = st.sampled_from(["Hello.", "Well?", "", " \n", "half a \ud83d character", "nul \0"])
_ids = st.sampled_from(["c1", "c2", "functions.echo:0", "", "long" * 30, "ünïcode"])
_names = st.sampled_from(["echo", "web_search", "mcp.server/tool", "1st", "x" * 90, "größe"])
_json: st.SearchStrategy[Json] = st.sampled_from(
    [None, "", "done", " ", {}, [], 7, {"output": "x"}, {"error": "no"}, {"output": ""}, {"a": [{"b": None}]},
     {"data": _PICTURE, "mime_type": "image/png", "text": ""}, {"data": _PICTURE, "mime_type": "image/png"},
     {"data": "%%%", "mime_type": "image/png"}, {"data": "a" * 400, "mime_type": "image/png"},
     {"data": "JVBERg==", "mime_type": "application/pdf"}, {"data": "aGk=", "mime_type": "text/plain"},
     {"data": "aGk=", "mime_type": "audio/wav"}, {"data": "aGk=", "mime_type": "video/mp4"}]
)  # fmt: skip
_files = st.sampled_from(
    [("png", "image/png"), ("gone", "image/png"), ("empty", "image/png"), ("large", "image/png"),
     ("pdf", "application/pdf"), ("pdf", "application/PDF; version=1"), ("txt", "text/markdown"),
     ("txt", "application/json"), ("heic", "image/heic"), ("wav", "audio/wav"), ("bin", "application/zip")]
)  # fmt: skip
_BYTES = {
    FileId("png"): b"\x89PNG",
    FileId("empty"): b"",
    FileId("large"): b"x" * 100,
    FileId("pdf"): b"%PDF",
    FileId("txt"): b"some text \xff",
    FileId("heic"): b"heic",
    FileId("wav"): b"RIFF",
    FileId("bin"): b"PK",
}


@st.composite
def _file(draw: st.DrawFn) -> Part:
    file_id, media_type = draw(_files)
    name = draw(st.sampled_from([None, "a.pdf", "???", "a b (1).txt", "pasted-text-2027-01-15-08-00-00.txt"]))
    return File(file_id=FileId(file_id), media_type=media_type, name=name)


_text = st.builds(Text, text=_words)
_said_by_people = st.one_of(
    _text, _file(), st.builds(FileReference, file_name=st.just("a.py"), content=_words)
)
_said_by_models = st.one_of(
    _text,
    _file(),
    st.builds(Reasoning, text=_words),
    st.builds(Source, source_id=st.just("s"), url=st.just("https://example.com")),
    st.builds(
        ToolCall,
        tool_call_id=_ids.map(CallId),
        tool_name=_names,
        args=st.sampled_from([None, {}, {"a": 1}, "{broken", [1], 3]),
        provider_executed=st.booleans(),
    ),
    st.builds(
        ToolResult,
        tool_call_id=_ids.map(CallId),
        tool_name=_names,
        result=_json,
        provider_executed=st.booleans(),
    ),
)
_results = st.builds(
    ToolResult,
    tool_call_id=_ids.map(CallId),
    tool_name=st.one_of(_names, st.just("")),
    result=_json,
    is_error=st.booleans(),
    is_media=st.booleans(),
    provider_executed=st.sampled_from([False, False, False, True]),
)


def _of(role: Role, parts: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[list[Message]]:
    return st.lists(parts, min_size=1, max_size=most).map(lambda found: [message(role, *found, origin=None)])


@st.composite
def _real_reply(draw: st.DrawFn, at: DialectName, model: str) -> list[Message]:
    """A reply as a model gave it, ours or a stranger's, and most of the results that it asked for."""
    is_own = draw(st.booleans())
    dialect = at if is_own else draw(st.sampled_from(list(HEARD)))
    author = _Author("own", model) if is_own else _Author("stranger", "other")
    draft = _saved(draw(st.sampled_from(HEARD[dialect])), author)
    if draft is None:
        return []
    fields = {name: getattr(draft, name) for name in Draft.__struct_fields__}
    replied = replace(message(Role.ASSISTANT, *draft.content), **fields)
    if not is_own:
        beside = {name: _marked(inner) for name, inner in draft.internal.items() if name != "origin"}
        replied = replace(replied, internal={**beside, "origin": draft.internal["origin"]})
    if draw(st.integers(0, 5)) == 0:
        # Interrupted: saved from what people saw of it.
        replied = replace(replied, internal=None)
    results = [
        message(Role.TOOL, draw(_results_of(part)))
        for part in draft.content
        if isinstance(part, ToolCall) and not part.provider_executed and draw(st.integers(0, 4))
    ]
    return [replied, *results]


def _results_of(call: ToolCall) -> st.SearchStrategy[ToolResult]:
    return _results.map(
        lambda result: replace(
            result, tool_call_id=call.tool_call_id, tool_name=call.tool_name, provider_executed=False
        )
    )


def _history(at: DialectName, model: str) -> st.SearchStrategy[list[Message]]:
    some = st.one_of(
        _real_reply(at, model),
        _real_reply(at, model),
        _of(Role.USER, _said_by_people),
        _of(Role.USER, _text, 1),
        _of(Role.ASSISTANT, _said_by_models, 5),
        _of(Role.TOOL, _results, 2),
        _of(Role.SYSTEM, _text, 2),
    )
    return st.lists(some, min_size=1, max_size=9).map(lambda groups: [m for group in groups for m in group])


def _asked(messages: Sequence[Message], case: Case, **more: Any) -> Json:
    asked = RequestWriter(Request(messages=messages, **more), case.target, dialect_of(case.target.dialect))
    wanted = asked.files()
    return msgspec.json.decode(asked.write({k: v for k, v in _BYTES.items() if k in wanted}).json)


def _is_to_be_answered(history: Sequence[Message]) -> bool:
    """A tool has answered last, as it is in the middle of a turn."""
    return len(history) > 1 and history[-1].role is Role.TOOL


@pytest.mark.parametrize("name", CASES)
def test_whatever_a_chat_holds_can_be_sent(name: str) -> None:
    case = CASES[name]

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        history = data.draw(_history(case.target.dialect, case.target.model))
        if not _is_to_be_answered(history):
            history = [*history, message(Role.USER, Text(text="And now?"))]
        tools = (_TOOL,) if data.draw(st.booleans()) else ()
        then = (message(Role.USER, Text(text="Sum up.")),) if data.draw(st.booleans()) else ()
        transcript = Transcript(history[: data.draw(st.integers(1, len(history)))])
        transcript.append(message(Role.USER, Text(text="So far?")))
        whole = [*transcript, *history[len(transcript) - 1 :]]
        _asked(transcript, case, tools=tools)
        transcript.extend(whole[len(transcript) :])

        body = _asked(transcript, case, tools=tools, then=then)

        assert case.problems(body) == []
        assert SECRET not in str(body)
        # Nothing depends on what was written before.
        assert body == _asked(whole, case, tools=tools, then=then)

    holds()
