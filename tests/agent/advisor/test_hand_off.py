"""What an advisor is shown of a chat."""

from typing import Any

from msgspec.structs import replace

from chatd.agent.advisor.hand_off import BYTES_MAX, BYTES_MIN, LEFT_OUT, budget, hand_off
from chatd.agent.advisor.words import GUIDANCE, ROLE
from chatd.domain.branch import FIRST_BRANCH
from chatd.domain.ids import CallId, FileId, MessageId, Micros
from chatd.domain.message import Message, Role, text
from chatd.domain.part import File, Json, Part, Reasoning, Text, ToolCall, ToolResult
from tests.traceability import proves


def message(number: int, role: Role, *parts: Part) -> Message:
    return Message(
        role=role,
        content=parts,
        id=MessageId(number),
        revision=number,
        branch=FIRST_BRANCH,
        created_at=Micros(0),
        tokens=0,
        internal={"origin": {"provider": "some"}},
    )


def said(number: int, words: str, role: Role = Role.USER) -> Message:
    return message(number, role, Text(text=words))


def called(number: int, call_id: str, **args: Json) -> Message:
    call = ToolCall(tool_call_id=CallId(call_id), tool_name="read_file", args=args)
    return message(number, Role.ASSISTANT, call)


def returned(number: int, call_id: str, result: Json, **fields: Any) -> Message:
    part = ToolResult(tool_call_id=CallId(call_id), tool_name="read_file", result=result, **fields)
    return message(number, Role.TOOL, part)


def shown(*history: Message, context: int = 0) -> list[tuple[Role, str]]:
    handed = hand_off((), history, None, "How?", context=context)
    assert all(each.internal is None for each in handed.messages)
    return [(each.role, text(each)) for each in handed.messages]


@proves("advisor", 20, 27, 28)
def test_prompts_that_fit_are_inherited_in_their_order_and_the_role_comes_last() -> None:
    five, twenty, four = "a" * 5000, "b" * 20_000, "c" * 4000

    handed = hand_off((five, twenty, GUIDANCE, four), [], None, "How?", context=0)

    assert handed.system == (five, four, ROLE)


@proves("advisor", 20)
def test_of_prompts_that_do_not_all_fit_the_newest_stay() -> None:
    old, middle, new = "a" * 5000, "b" * 5000, "c" * 5000

    assert hand_off((old, middle, new), [], None, "How?", context=0).system == (middle, new, ROLE)


def test_system_messages_of_the_history_are_inherited_too() -> None:
    history = [said(1, "Be kind.", Role.SYSTEM), said(2, "Hello.")]

    handed = hand_off(("I am Ann.",), history, None, "How?", context=0)

    assert handed.system == ("Be kind.", "I am Ann.", ROLE)
    assert [text(each) for each in handed.messages] == ["Hello.", "How?"]


@proves("advisor", 21)
def test_no_more_than_20_messages_are_shown_and_that_others_were_left_out_is_told() -> None:
    history = [said(number, f"Message {number}.") for number in range(1, 51)]

    told = shown(*history)

    assert told[0] == (Role.USER, LEFT_OUT)
    assert [words for _, words in told[1:-1]] == [f"Message {number}." for number in range(31, 51)]
    assert told[-1] == (Role.USER, "How?")


@proves("advisor", 22)
def test_nothing_before_a_huge_message_is_shown() -> None:
    history = [said(1, "First."), said(2, "a" * 50_000), *(said(n, f"Message {n}.") for n in range(3, 8))]

    told = [words for _, words in shown(*history)]

    assert told == [LEFT_OUT, *(f"Message {n}." for n in range(3, 8)), "How?"]


def test_a_large_context_has_room_for_more() -> None:
    history = [said(number, f"Message {number}.") for number in range(1, 51)]

    assert len(shown(*history, context=200_000)) == 51
    assert [budget(tokens) for tokens in (0, 8000, 100_000, 10**7)] == [
        BYTES_MIN,
        BYTES_MIN,
        30_000,
        BYTES_MAX,
    ]


@proves("advisor", 23)
def test_an_exchange_with_a_tool_is_one_note_with_its_name_input_and_output() -> None:
    told = shown(
        said(1, "Look."),
        replace(
            called(2, "c", path="a.txt"),
            content=(Text(text="I look."), *called(2, "c", path="a.txt").content),
        ),
        returned(3, "c", {"output": "hello"}),
    )

    assert told == [
        (Role.USER, "Look."),
        (Role.ASSISTANT, "I look."),
        (Role.USER, '[The agent called read_file with {"path":"a.txt"}. It returned:\nhello]'),
        (Role.USER, "How?"),
    ]


def test_a_message_of_calls_alone_vanishes_and_an_error_is_told_as_one() -> None:
    told = shown(
        said(1, "Look."), called(2, "c", path="b"), returned(3, "c", {"error": "No."}, is_error=True)
    )

    assert [words for _, words in told] == [
        "Look.",
        '[The agent called read_file with {"path":"b"}. It failed:\nNo.]',
        "How?",
    ]


def test_a_result_whose_call_is_not_shown_keeps_its_name_and_lacks_the_input() -> None:
    history = [called(1, "c", path="a"), *(returned(n, "c", "text") for n in range(2, 24))]

    told = shown(*history)

    assert (Role.USER, "[The agent called read_file. It returned:\ntext]") in told
    assert not any("with" in words for _, words in told)


def test_of_two_calls_with_one_id_a_result_belongs_to_the_nearer() -> None:
    told = shown(
        called(1, "c", path="a"), returned(2, "c", "A"), called(3, "c", path="b"), returned(4, "c", "B")
    )

    assert [words for _, words in told[:2]] == [
        '[The agent called read_file with {"path":"a"}. It returned:\nA]',
        '[The agent called read_file with {"path":"b"}. It returned:\nB]',
    ]


def test_a_long_result_is_shortened_and_hides_nothing_before_it() -> None:
    told = shown(
        said(1, "Look."), called(2, "c", path="a"), returned(3, "c", "head" + "a" * 100_000 + "tail")
    )

    assert told[0] == (Role.USER, "Look.")
    assert "head" in told[1][1]
    assert "tail" in told[1][1]
    assert len(told[1][1]) < BYTES_MIN


@proves("advisor", 26)
def test_pictures_and_files_are_described() -> None:
    picture = {"data": "AAAA" * 100_000, "mime_type": "image/png", "text": "A map."}
    file = File(file_id=FileId("f"), media_type="application/pdf", name="plan.pdf")

    told = shown(message(1, Role.USER, Text(text="See: "), file), returned(2, "c", picture, is_media=True))

    assert [words for _, words in told] == [
        "See: [A file is attached here: plan.pdf, application/pdf.]",
        "[The agent called read_file. It returned:\n(something of the type image/png) A map.]",
        "How?",
    ]


def test_a_search_of_the_provider_is_a_note_too() -> None:
    call = ToolCall(tool_call_id=CallId("s"), tool_name="web_search", args={"q": "x"}, provider_executed=True)
    found = ToolResult(tool_call_id=CallId("s"), tool_name="web_search", result="Y", provider_executed=True)

    told = shown(message(1, Role.ASSISTANT, call, found, Text(text="It is Y.")))

    assert told == [
        (Role.ASSISTANT, "It is Y."),
        (Role.USER, '[The agent called web_search with {"q":"x"}. It returned:\nY]'),
        (Role.USER, "How?"),
    ]


@proves("advisor", 25)
def test_the_step_that_asks_has_a_budget_of_its_own() -> None:
    step = message(
        3,
        Role.ASSISTANT,
        Reasoning(text="t" * 9000 + "T"),
        Text(text="w" * 9000 + "W"),
        *called(3, "c").content,
    )

    handed = hand_off((), [said(1, "a" * 11_000)], step, "How?", context=0)

    first, asking, _ = handed.messages
    assert len(text(first)) == 11_000
    thought, words = (part.text for part in asking.content if isinstance(part, Text))
    assert (thought.endswith("T]"), len(words), words[-1]) == (True, 4000, "W")


def test_a_step_that_only_calls_is_not_shown() -> None:
    handed = hand_off((), [said(1, "Look.")], called(2, "c"), "How?", context=0)

    assert [text(each) for each in handed.messages] == ["Look.", "How?"]
