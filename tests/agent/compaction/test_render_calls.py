"""Calls that a provider ran by itself are rendered as text for another one."""

from chatd.agent.compaction.render_calls import CHARACTERS_MAX, calls_as_text
from chatd.domain.ids import CallId
from chatd.domain.message import Message
from chatd.domain.part import Json, Part, Text, ToolCall, ToolResult
from chatd.providers.model import Transcript
from tests.providers.histories import reply, user
from tests.traceability import proves

SEARCH = ToolCall(
    tool_call_id=CallId("s"), tool_name="web_search", args={"query": "tides"}, provider_executed=True
)


def found(result: Json) -> ToolResult:
    return ToolResult(tool_call_id=CallId("s"), tool_name="web_search", result=result, provider_executed=True)


def searched(*parts: Part) -> Message:
    return reply(*parts, "The moon.", internal={"origin": {"provider": "p1"}})


@proves("loop", 36)
def test_a_search_of_another_provider_becomes_words_and_the_history_stays_as_it_is() -> None:
    history = Transcript([user("What makes the tides?"), searched(SEARCH, found([{"title": "The moon"}]))])

    rendered = calls_as_text(history, "p2")

    assert rendered[1].content == (
        Text(text='[web_search was asked for: {"query":"tides"}]'),
        Text(text='[web_search found: [{"title":"The moon"}]]'),
        Text(text="The moon."),
    )
    assert history[1].content[0] == SEARCH


@proves("loop", 36)
def test_what_the_same_provider_ran_is_kept_as_it_is_and_so_is_what_was_written_of_it() -> None:
    history = Transcript([user("What makes the tides?"), searched(SEARCH, found(None))])

    assert calls_as_text(history, "p1") is history


def test_of_a_long_result_only_the_beginning_is_told() -> None:
    [message] = calls_as_text([searched(SEARCH, found("x" * 100_000))], "p2")

    assert all(len(part.text) < CHARACTERS_MAX + 100 for part in message.content if isinstance(part, Text))
