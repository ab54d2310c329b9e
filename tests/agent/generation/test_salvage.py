"""What was shown of a reply that never finished becomes a message."""

from msgspec.structs import replace

from chatd.agent.generation.salvage import HOLE, salvaged
from chatd.domain.ids import CallId, FileId
from chatd.domain.message import Role
from chatd.domain.part import File, HookNotice, Reasoning, RunBy, Text, ToolCall, ToolResult
from chatd.live.episodes.episode import LivePart, Spoken, ToolCallPiece, ToolResultPiece
from tests.traceability import proves

NOW = "2027-01-15T08:00:00Z"
A = CallId("a")


def kept(*parts: LivePart) -> tuple[object, ...]:
    spoken = [Spoken(seq, Role.ASSISTANT, part) for seq, part in enumerate(parts, 1)]
    drafts = salvaged(spoken, now=NOW, model="m", runtime_ms=3)
    return drafts[0].content if drafts else ()


def piece(json: str, tool: str = "") -> ToolCallPiece:
    return ToolCallPiece(tool_call_id=A, args_delta=json, tool_name=tool)


def test_words_and_thoughts_stay_as_they_were_said() -> None:
    assert kept(
        Reasoning(text="h", created_at="then"), Reasoning(text="m"), Text(text="Yes"), Text(text=", but")
    ) == (
        Reasoning(text="hm", created_at="then", completed_at=NOW),
        Text(text="Yes, but"),
    )


@proves("worker", 29)
def test_a_whole_call_wins_over_its_pieces() -> None:
    call = ToolCall(tool_call_id=A, tool_name="read", args={"x": 1})

    assert kept(piece('{"x"', "read"), piece(":2}"), call) == (call,)


def test_pieces_that_make_a_whole_are_a_call() -> None:
    assert kept(piece('{"x"', "read"), piece(":1}")) == (
        ToolCall(tool_call_id=A, tool_name="read", args={"x": 1}),
    )


def test_a_call_made_of_pieces_is_run_by_the_same_as_its_pieces() -> None:
    pieces = [piece('{"x"'), replace(piece(":1}", "tab"), kind=RunBy.CLIENT)]

    assert kept(*pieces) == (ToolCall(tool_call_id=A, tool_name="tab", args={"x": 1}, kind=RunBy.CLIENT),)


def test_pieces_that_do_not_are_dropped() -> None:
    assert kept(piece('{"x"', "read")) == ()
    assert kept(piece("{}")) == ()


@proves("worker", 30)
def test_results_of_our_own_tools_come_from_the_ledger_instead() -> None:
    result = ToolResult(tool_call_id=A, tool_name="read", result="x")
    output = ToolResultPiece(tool_call_id=A, tool_name="read", result_delta="x")

    assert kept(result, output) == ()


def test_a_providers_own_result_is_kept_behind_its_call() -> None:
    call = ToolCall(tool_call_id=A, tool_name="search", provider_executed=True)
    result = ToolResult(tool_call_id=A, tool_name="search", result=1, provider_executed=True)

    assert kept(call, result) == (call, result)
    assert kept(result) == ()


@proves("worker", 27)
def test_nothing_said_is_nothing_saved() -> None:
    assert salvaged([], now=NOW, model=None, runtime_ms=None) == ()


def test_pieces_that_are_nested_beyond_measure_are_no_call() -> None:
    assert kept(piece('{"x":', "read"), *[piece("[" * 1000)] * 5, *[piece("]" * 1000)] * 5, piece("}")) == ()


def test_of_a_log_that_begins_in_the_middle_the_words_are_kept_with_a_notice() -> None:
    spoken = [
        Spoken(301, Role.ASSISTANT, Text(text="so it")),
        Spoken(302, Role.ASSISTANT, Text(text=" ended.")),
        Spoken(303, Role.ASSISTANT, piece("{}", "read")),
    ]

    (draft,) = salvaged(spoken, now=NOW, model="m", runtime_ms=3)

    assert draft.content == (Text(text="so it ended."), HookNotice(text=HOLE))


def test_a_file_that_a_tool_attached_comes_from_the_ledger_and_one_of_the_model_is_kept() -> None:
    made = File(file_id=FileId("made"), media_type="image/png")
    attached = File(file_id=FileId("attached"), media_type="image/png")
    spoken = [Spoken(1, Role.ASSISTANT, made), Spoken(2, Role.TOOL, attached)]

    (draft,) = salvaged(spoken, now=NOW, model="m", runtime_ms=3)

    assert draft.content == (made,)
