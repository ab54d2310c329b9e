"""Stream events become parts to show and a message to save."""

import pytest
from structlog.testing import capture_logs

from chatd.agent.generation.reply import Reply, Shown
from chatd.catalog.models.rows import ModelConfig, ModelId, Prices, Provider, ProviderId, ProviderType
from chatd.domain.ids import CallId
from chatd.domain.message import Role, Usage
from chatd.domain.part import Reasoning, RunBy, Source, Text, ToolCall, ToolResult
from chatd.kit.clock import SystemClock
from chatd.live.episodes.episode import ToolCallPiece
from chatd.providers.cost import TOKENS_MAX
from chatd.providers.credentials.signing import NoCredentials
from chatd.providers.events import (
    BlockEnded,
    Finished,
    ReasoningDelta,
    SourceFound,
    Stop,
    StreamEvent,
    TextDelta,
    ToolCalled,
    ToolInput,
    ToolReturned,
)
from chatd.providers.http_model import Endpoint, HttpModel
from chatd.providers.registry import pricing
from chatd.providers.scripted.model import ScriptedModel
from tests.providers.transport.memory import MemoryPost
from tests.providers.transport.plain import TARGET, Plain
from tests.traceability import proves

NOW = "2027-01-15T08:00:00Z"
A = CallId("a")


def reply_to(*events: StreamEvent, stop: Stop = Stop.DONE, usage: Usage | None = None) -> Reply:
    reply = Reply(lambda: NOW)
    for event in (*events, Finished(stop, usage)):
        reply.take(event)
    return reply


def content(*events: StreamEvent) -> tuple[object, ...]:
    draft = reply_to(*events).draft(ScriptedModel(SystemClock(), context_limit=0))
    return draft.content if draft else ()


def test_words_become_one_text() -> None:
    assert content(TextDelta("Hello "), TextDelta("there")) == (Text(text="Hello there"),)


@proves("loop", 2)
def test_blocks_stand_in_the_order_in_which_they_were_completed() -> None:
    found = content(
        TextDelta("one", "1"), ReasoningDelta("hm", "r"), TextDelta("two", "2"),
        BlockEnded("2"), BlockEnded("r"), BlockEnded("1"),
    )  # fmt: skip

    assert found == (
        Text(text="two"), Reasoning(text="hm", created_at=NOW, completed_at=NOW), Text(text="one"),
    )  # fmt: skip


@proves("loop", 3)
def test_what_the_provider_wants_back_travels_beside_the_parts() -> None:
    reply = reply_to(
        ReasoningDelta("hm", "r", {"signature": "early"}),
        ReasoningDelta("!", "r"),
        BlockEnded("r"),
        TextDelta("hi"),
    )

    draft = reply.draft(ScriptedModel(SystemClock(), context_limit=0))

    assert draft is not None
    assert draft.internal["parts"] == {"0": {"signature": "early"}}
    assert draft.internal["origin"]["provider"] == "scripted"
    assert draft.runtime_ms is None


@proves("loop", 3)
def test_thoughts_without_words_are_kept_when_they_are_signed() -> None:
    assert content(ReasoningDelta("", "r", {"redacted": "x"}), BlockEnded("r")) == (
        Reasoning(text="", created_at=NOW, completed_at=NOW),
    )
    assert content(ReasoningDelta("", "r"), BlockEnded("r")) == ()


@proves("loop", 5)
def test_a_call_is_shown_in_pieces_and_then_whole() -> None:
    reply = Reply(lambda: NOW)

    assert reply.take(ToolInput(A, '{"x"', "read")) == Shown(
        Role.ASSISTANT, ToolCallPiece(tool_call_id=A, args_delta='{"x"', tool_name="read")
    )
    assert reply.take(ToolInput(A, ":1}")) == Shown(
        Role.ASSISTANT, ToolCallPiece(tool_call_id=A, args_delta=":1}", tool_name="read")
    )
    # Some providers say the name only at the end.
    assert reply.take(ToolInput(CallId("b"), "{")) == Shown(
        Role.ASSISTANT, ToolCallPiece(tool_call_id=CallId("b"), args_delta="{", tool_name="")
    )
    whole = ToolCall(tool_call_id=A, tool_name="read", args={"x": 1}, kind=RunBy.SERVER, created_at=NOW)
    assert reply.take(ToolCalled(A, "read", {"x": 1})) == Shown(Role.ASSISTANT, whole)


def test_a_call_tells_who_runs_it_in_each_piece_and_whole() -> None:
    tools = {"tab": RunBy.CLIENT, "read": RunBy.SERVER}
    reply = Reply(lambda: NOW, run_by=tools.get)

    pieces = [reply.take(ToolInput(CallId(tool), "{", tool)) for tool in ("tab", "read", "search")]
    wholes = [
        reply.take(ToolCalled(CallId(tool), tool, {}, provider_executed=tool == "search"))
        for tool in ("tab", "read", "search", "no_such_tool")
    ]

    def kinds(shown: list[Shown | None]) -> list[RunBy | None]:
        parts = [each.part for each in shown if each is not None]
        return [part.kind for part in parts if isinstance(part, ToolCall | ToolCallPiece)]

    # That a call is the provider's is known when it is whole.
    assert kinds(pieces) == [RunBy.CLIENT, RunBy.SERVER, None]
    assert kinds(wholes) == [RunBy.CLIENT, RunBy.SERVER, RunBy.PROVIDER, RunBy.SERVER]


@proves("loop", 6, 41)
def test_a_providers_own_result_stays_in_the_message_and_is_shown_as_a_tools() -> None:
    reply = Reply(lambda: NOW)
    reply.take(ToolCalled(A, "web_search", {}, provider_executed=True))

    shown = reply.take(ToolReturned(A, "web_search", {"hits": 1}))
    reply.take(Finished(Stop.DONE))

    result = ToolResult(
        tool_call_id=A, tool_name="web_search", result={"hits": 1}, provider_executed=True, created_at=NOW
    )
    assert shown == Shown(Role.TOOL, result)
    draft = reply.draft(ScriptedModel(SystemClock(), context_limit=0))
    assert draft is not None
    assert draft.content[1] == result


def test_sources_are_kept_and_shown() -> None:
    source = Source(source_id="s", url="https://example.org", title="t")

    assert content(SourceFound("s", "https://example.org", "t")) == (source,)


def test_a_reply_without_anything_is_no_message() -> None:
    assert reply_to().draft(ScriptedModel(SystemClock(), context_limit=0)) is None


def test_the_models_limit_stands_in_when_the_provider_names_none() -> None:
    draft = reply_to(TextDelta("x"), usage=Usage(input_tokens=3)).draft(
        ScriptedModel(SystemClock(), context_limit=100)
    )

    assert draft is not None
    assert draft.usage == Usage(input_tokens=3, context_limit=100)


@proves("model-layer", 160)
@pytest.mark.parametrize("count", [-1, TOKENS_MAX + 1])
def test_absurd_counts_are_saved_and_logged_and_have_no_cost(count: int) -> None:
    provider = Provider(id=ProviderId("p"), type=ProviderType.OPENAI, name="acme")
    config = ModelConfig(
        id=ModelId("m"), provider_id=provider.id, model="m", context_limit=1, prices=Prices(input=1, output=1)
    )
    endpoint = Endpoint(base_url="http://acme", credentials=NoCredentials(), post=MemoryPost())
    model = HttpModel(TARGET, Plain(), endpoint, cost=pricing(provider, config, SystemClock()))

    with capture_logs() as logs:
        draft = reply_to(TextDelta("x"), usage=Usage(output_tokens=count)).draft(model)

    assert draft is not None
    assert draft.usage is not None
    assert (draft.usage.output_tokens, draft.cost) == (count, None)
    assert [(log["log_level"], log["event"]) for log in logs] == [("error", "cost.absurd")]


@proves("loop", 13)
def test_a_refusal_with_words_is_an_ordinary_reply() -> None:
    assert not reply_to(TextDelta("no"), stop=Stop.REFUSED).refused
    assert reply_to(ReasoningDelta("hm"), stop=Stop.REFUSED).refused
    assert reply_to(stop=Stop.REFUSED).refused


def said_so_far(*events: StreamEvent) -> tuple[object, ...]:
    reply = Reply(lambda: NOW)
    for event in events:
        reply.take(event)
    return reply.so_far()


def test_what_is_half_said_can_be_kept_at_any_moment() -> None:
    assert said_so_far() == ()
    assert said_so_far(
        TextDelta("one", "1"), BlockEnded("1"), ReasoningDelta("hm", "r"), TextDelta("tw", "2"),
        ToolInput(A, '{"x":1', "read"), ToolInput(CallId("b"), "{}", "list"),
    ) == (
        Text(text="one"), Reasoning(text="hm", created_at=NOW, completed_at=NOW), Text(text="tw"),
        ToolCall(tool_call_id=CallId("b"), tool_name="list", args={}),
    )  # fmt: skip


def test_of_two_calls_with_one_id_what_the_provider_wants_back_stays_with_the_first() -> None:
    reply = reply_to(
        ToolCalled(A, "read", {}, internal={"i": 1}), ToolCalled(A, "read", {}, internal={"i": 2})
    )
    draft = reply.draft(ScriptedModel(SystemClock(), context_limit=0))

    assert draft is not None
    assert draft.internal["parts"] == {"0": {"i": 1}}


def test_a_call_of_the_provider_that_is_named_twice_is_left_out_with_its_result() -> None:
    search = ToolCalled(A, "search", {}, provider_executed=True)
    found = content(search, ToolReturned(A, "search", 1), search)

    assert [type(part).__name__ for part in found] == ["ToolCall", "ToolResult", "HookNotice"]
