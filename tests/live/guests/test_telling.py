"""What guests are told of what others are told: only what their link shows, and no sign of the rest."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatd.domain.chat import Status
from chatd.domain.family import AGENT_TOOLS
from chatd.domain.ids import BranchId, CallId, FileId, MessageId, Micros
from chatd.domain.message import Message, Role, Visibility
from chatd.domain.part import (
    SUMMARY_TOOL,
    ContextFile,
    File,
    FileReference,
    HookNotice,
    Part,
    Reasoning,
    Skill,
    Source,
    Text,
    ToolCall,
    ToolResult,
)
from chatd.domain.people.links import Included, LineOfHistory
from chatd.kit.sealed_numbers import SealedNumbers
from chatd.live.episodes.episode import (
    GAP,
    EpisodeKey,
    LivePart,
    Said,
    Spoken,
    Surroundings,
    ToolCallPiece,
    ToolResultPiece,
    gap_begun,
)
from chatd.live.events import (
    Batch,
    ChildrenChanged,
    Gap,
    HeldUpChanged,
    MessageDeleted,
    MessageSaved,
    PreviewPaused,
    PreviewReset,
    QueueUpdated,
    RetryOver,
    StatusChanged,
    ViewerEvent,
    WaitingForChanged,
)
from chatd.live.guests.sight import Sight
from chatd.live.guests.telling import GuestTelling
from chatd.live.shapes import ChildrenView
from chatd.tools.agents import agent_tools
from tests.clock import START_MICROS
from tests.live.listening import CHAT

KEY = EpisodeKey(CHAT, 7, 3)
INCLUDES = [frozenset(some) for size in range(4) for some in combinations(Included, size)]
TOOLS = ("read_file", "", SUMMARY_TOOL, *sorted(AGENT_TOOLS))
WORDS = st.text(alphabet="abc ", max_size=5)
CALL = st.sampled_from(["one", "two"]).map(CallId)

parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, text=WORDS),
    st.builds(Reasoning, text=WORDS),
    st.builds(ToolCall, tool_call_id=CALL, tool_name=st.sampled_from(TOOLS), args=WORDS),
    st.builds(
        ToolResult,
        tool_call_id=CALL,
        tool_name=st.sampled_from(TOOLS),
        result=WORDS,
        is_media=st.booleans(),
    ),
    st.builds(Source, source_id=WORDS, url=WORDS),
    st.builds(File, file_id=WORDS.map(FileId), media_type=st.just("text/plain")),
    st.builds(FileReference, file_name=WORDS),
    st.builds(ContextFile, context_file_path=WORDS),
    st.builds(Skill, skill_name=WORDS),
    st.builds(HookNotice, text=WORDS),
)
live_parts: st.SearchStrategy[LivePart] = st.one_of(
    st.builds(Text, text=WORDS),
    st.builds(Reasoning, text=WORDS),
    st.builds(ToolCallPiece, tool_call_id=CALL, tool_name=st.sampled_from(TOOLS), args_delta=WORDS),
    st.builds(ToolResultPiece, tool_call_id=CALL, tool_name=st.sampled_from(TOOLS), result_delta=WORDS),
    st.builds(ToolResult, tool_call_id=CALL, tool_name=st.sampled_from(TOOLS), result=WORDS),
    st.builds(File, file_id=WORDS.map(FileId), media_type=st.just("text/plain")),
)


def message(*content: Part, number: int = 1, **fields: Any) -> Message:
    return Message(
        id=MessageId(number),
        revision=1,
        branch=BranchId(1),
        created_at=Micros(START_MICROS),
        tokens=1,
        **{"role": Role.ASSISTANT, "content": content, **fields},
    )


messages = st.builds(
    lambda content, number, fields: message(*content, number=number, **fields),
    st.lists(parts, max_size=4),
    st.integers(min_value=1, max_value=20),
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(Role),
            "visibility": st.sampled_from(Visibility),
            "compressed": st.booleans(),
            "deleted": st.booleans(),
        }
    ),
)
ABOUT = {"chat_id": CHAT, "cursor": "1.2.3"}
NOTHING_FOR_GUESTS: tuple[ViewerEvent, ...] = (
    QueueUpdated(queued_messages=(), queue_length=3, **ABOUT),
    StatusChanged(status=Status.RUNNING, **ABOUT),
    WaitingForChanged(waiting_for=(), **ABOUT),
    ChildrenChanged(children=ChildrenView(count=2, at_work=1, waiting=()), **ABOUT),
    RetryOver(**ABOUT),
    HeldUpChanged(held_up=None, **ABOUT),
    PreviewPaused(paused=True, **ABOUT),
    MessageDeleted(message_id=3, **ABOUT),
    Gap(what="preview", **ABOUT),
)
# One thing that viewers are told: an event, or a part.
told_to_others = st.one_of(
    st.sampled_from(NOTHING_FOR_GUESTS),
    messages.map(lambda each: MessageSaved(message=each, **ABOUT)),  # type: ignore[arg-type]  # as for guests
    st.just(PreviewReset(**ABOUT)),
    live_parts,
)


def sight(include: frozenset[Included] = frozenset(), *, line: LineOfHistory | None = None) -> Sight:
    return Sight(include, line, SealedNumbers("link"))


def said(part: LivePart, seq: int = 1) -> Said:
    role = Role.TOOL if isinstance(part, ToolResult | ToolResultPiece) else Role.ASSISTANT
    return Surroundings(KEY).said(KEY, Spoken(seq, role, part))


def told(telling: GuestTelling, *things: Any) -> list[Any]:
    """As guests decode it. Events come before parts, so each is a batch of its own."""
    batches = [
        Batch((thing,)) if hasattr(thing, "cursor") else Batch(parts=(said(thing),)) for thing in things
    ]
    return [msgspec.to_builtins(event) for batch in batches for event in telling.told(batch).events]


@given(st.sampled_from(INCLUDES), st.lists(told_to_others, max_size=12))
def test_what_is_not_shown_leaves_no_trace(include: frozenset[Included], things: Sequence[Any]) -> None:
    """Taken out, nothing else is told: not a number, not a reset, not an empty event."""
    seen = sight(include)
    shown = [each for each in things if _is_shown(seen, each)]

    assert told(GuestTelling(seen), *things) == told(GuestTelling(seen), *shown)


def _is_shown(seen: Sight, thing: Any) -> bool:
    match thing:
        case MessageSaved():
            return seen.message(thing.message) is not None  # type: ignore[arg-type]  # as for guests
        case PreviewReset():
            return True
        case _ if hasattr(thing, "cursor"):
            return False
        case _:
            return seen.part(thing) is not None


@given(st.sampled_from(INCLUDES), messages)
def test_a_message_shows_the_parts_that_the_link_includes(
    include: frozenset[Included], stored: Message
) -> None:
    shown = sight(include).message(stored)

    is_for_guests = (
        not (stored.deleted or stored.compressed)
        and stored.visibility is not Visibility.MODEL
        and stored.role is not Role.SYSTEM
    )
    allowed = [type(part).__name__ for part in stored.content if _is_included(part, include)]
    assert (shown is not None) is (is_for_guests and bool(allowed))
    if shown is not None:
        assert len(shown.content) == len(allowed)


def _is_included(part: Part, include: frozenset[Included]) -> bool:
    match part:
        case Text():
            return bool(part.text.strip())
        case Reasoning():
            return Included.REASONING in include
        case ToolCall(tool_name=name) | ToolResult(tool_name=name):
            return Included.TOOLS in include and name == "read_file"
        case Source():
            return Included.TOOLS in include
        case File():
            return Included.FILES in include
        case _:
            return False


@given(st.sampled_from(INCLUDES), live_parts)
def test_nothing_is_shown_while_it_is_said_that_would_not_be_when_it_is_saved(
    include: frozenset[Included], part: LivePart
) -> None:
    seen = sight(include)
    match part:
        case ToolCallPiece(tool_call_id=id_, tool_name=name, args_delta=words):
            saved: Part = ToolCall(tool_call_id=id_, tool_name=name, args=words)
        case ToolResultPiece(tool_call_id=id_, tool_name=name, result_delta=words):
            saved = ToolResult(tool_call_id=id_, tool_name=name, result=words)
        case Text():
            # A space between words, for example.
            saved = Text(text=f"Hi{part.text}")
        case _:
            saved = part
    if seen.part(part) is not None:
        assert seen.message(message(saved)) is not None


@pytest.mark.parametrize("include", INCLUDES, ids=lambda each: "+".join(sorted(each)) or "words")
def test_of_a_link_that_does_not_follow_on_nothing_is_shown_that_is_being_said(
    include: frozenset[Included],
) -> None:
    line = LineOfHistory(((BranchId(1), MessageId(9)),), MessageId(2))
    telling = GuestTelling(sight(include, line=line))

    assert told(telling, Text(text="secret"), PreviewReset(**ABOUT)) == []
    assert told(telling, MessageSaved(message=message(Text(text="later"), number=3), **ABOUT)) == []  # type: ignore[arg-type]


def test_a_preview_is_words_without_numbers_and_reset_only_if_there_was_one() -> None:
    telling = GuestTelling(sight())
    reset = PreviewReset(**ABOUT)

    assert told(telling, reset, Reasoning(text="hm"), reset) == []
    assert told(telling, Text(text="Hi"), reset, reset) == [
        {"type": "message_part", "role": "assistant", "part": {"type": "text", "text": "Hi"}},
        {"type": "preview_reset"},
    ]


def test_that_a_reply_has_become_too_long_is_not_told() -> None:
    """It may have become so by what is not shown."""
    gap = Said(KEY, 9, GAP, gap_begun(KEY, 9))

    assert GuestTelling(sight()).told(Batch(parts=(gap,))).events == ()


def test_what_a_picture_shows_is_not_told_while_it_is_said() -> None:
    shown = ToolResult(
        tool_call_id=CallId("one"),
        tool_name="read_file",
        result={"text": "a cat"},
        is_media=True,
        media=File(file_id=FileId("f"), media_type="image/png"),
    )

    part = sight(frozenset(Included)).part(shown)
    assert msgspec.to_builtins(part) == {
        "type": "tool-result",
        "tool_call_id": "one",
        "tool_name": "read_file",
    }


def test_the_tools_for_agents_are_those_that_there_are() -> None:
    class Nobody:
        """They are only asked for their names."""

    assert {tool.name for tool in agent_tools(Nobody())} == AGENT_TOOLS  # type: ignore[arg-type]
