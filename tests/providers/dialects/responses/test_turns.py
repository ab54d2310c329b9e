"""Turns become items, and what a model once said goes back to it."""

import base64
from typing import Any

import pytest

from chatd.errors import ProviderError
from chatd.providers.capabilities.target import Quirks
from chatd.providers.dialects.responses import RESPONSES
from chatd.providers.events import BlockEnded, ToolCalled
from chatd.providers.request.wire_turn import Attachment, Called, Returned, SaidText, Thought, WireTurn
from tests.providers.dialects.responses.answers import ANSWERS, COMPUTER_CALL
from tests.providers.dialects.responses.validator import problems
from tests.providers.dialects.responses.wire import (
    Event,
    call,
    completed,
    created,
    done,
    heard,
    message,
    reasoning,
    reply,
    results,
    search,
    search_item,
    sent,
    target,
    user,
)
from tests.traceability import proves

PNG = Attachment("image/png", b"\x89PNG", "cat.png")
PNG_URL = "data:image/png;base64," + base64.b64encode(b"\x89PNG").decode()
PDF = Attachment("application/pdf", b"%PDF")
SEARCHED = ANSWERS["thoughts, a search, thoughts, cited text"]


def items(*turns: WireTurn, **options: Any) -> list[Event]:
    return list(RESPONSES.write_turns(turns, target(**options), newest=False).items)


def replayed(*events: Event, stored: bool = False, store: bool | None = None) -> list[Event]:
    """What goes back of an answer, which was stored or not, to a provider that stores or not."""
    said = reply(heard(*events, store=stored))
    return items(said, *results(said), store=stored if store is None else store)


def test_people_say_text_and_show_pictures_and_documents() -> None:
    turn = WireTurn("user", (SaidText("Look:"), PNG, PDF))
    assert items(turn) == [
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Look:"},
                {"type": "input_image", "image_url": PNG_URL, "detail": "auto"},
                {
                    "type": "input_file",
                    "filename": "part-3.pdf",
                    "file_data": "data:application/pdf;base64,JVBERg==",
                },
            ],
        }
    ]
    assert problems(sent([turn])) == []


def test_an_unreadable_file_is_left_out_with_a_warning() -> None:
    written = RESPONSES.write_turns(
        [WireTurn("user", (Attachment("audio/wav", b"RIFF"),))], target(), newest=True
    )
    assert written.items == []
    assert len(written.warnings) == 1
    assert "audio/wav" in written.warnings[0]


def test_each_text_of_an_assistant_is_a_message_of_its_own_with_its_phase() -> None:
    said = WireTurn("assistant", (SaidText("One.", {"id": "m", "phase": "commentary"}), SaidText("Two.")))
    assert items(said) == [
        {"type": "message", "role": "assistant", "content": "One.", "phase": "commentary"},
        {"type": "message", "role": "assistant", "content": "Two."},
    ]


def test_words_that_are_only_space_are_not_sent() -> None:
    assert items(WireTurn("assistant", (SaidText(" \n", {"id": "m"}), SaidText("Two.")))) == [
        {"type": "message", "role": "assistant", "content": "Two."}
    ]


def test_a_custom_tool_goes_back_as_a_function_that_the_provider_does_not_know() -> None:
    item = {"id": "ct_1", "type": "custom_tool_call", "call_id": "call_1", "name": "sql", "input": "SELECT 1"}
    events = (created(), *reasoning(0, "rs_1", "Hm."), done(1, item), completed())
    for stored in (False, True):
        first, second = replayed(*events, stored=stored)
        assert first == {
            "type": "function_call",
            "call_id": "call_1",
            "name": "sql",
            "arguments": '{"input":"SELECT 1"}',
        }
        assert second["type"] == "function_call_output"


def test_what_a_system_says_in_parts_is_one_text() -> None:
    said = WireTurn("system", (SaidText("One."), SaidText("Two.")))
    assert items(said) == [{"type": "message", "role": "developer", "content": "One.\nTwo."}]


@proves("model-layer", 77)
def test_reasoning_goes_back_encrypted_and_directly_before_its_call() -> None:
    assert replayed(*ANSWERS["thoughts and a call"]) == [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [
                {"type": "summary_text", "text": "I should look."},
                {"type": "summary_text", "text": "Then answer."},
            ],
            "encrypted_content": "gAAA-final",
        },
        {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": '{"path":"a.txt"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "done"},
    ]


@proves("model-layer", 77)
def test_reasoning_that_is_not_encrypted_does_not_go_back() -> None:
    events = (
        created(),
        *reasoning(0, "rs_1", "Hm.", encrypted=None),
        *call(1, "fc_1", "call_1", "look", "{}"),
        completed(),
    )
    assert [item["type"] for item in replayed(*events)] == ["function_call", "function_call_output"]


def test_reasoning_that_was_stored_is_referred_to() -> None:
    assert replayed(*ANSWERS["thoughts and a call"], stored=True)[:2] == [
        {"type": "item_reference", "id": "rs_1"},
        {
            "type": "function_call",
            "call_id": "call_1",
            "name": "read_file",
            "arguments": '{"path":"a.txt"}',
            "id": "fc_1",
        },
    ]


def test_words_that_stored_reasoning_led_to_are_referred_to_with_it_and_once() -> None:
    parts = [{"type": "output_text", "text": text} for text in ("One.", "Two.")]
    item = {"id": "msg_1", "type": "message", "role": "assistant", "content": parts}
    events = (
        created(),
        *reasoning(0, "rs_1", "Hm."),
        done(1, item),
        *message(2, "msg_2", "Bye."),
        completed(),
    )
    assert replayed(*events, stored=True) == [
        {"type": "item_reference", "id": "rs_1"},
        {"type": "item_reference", "id": "msg_1"},
        {"type": "message", "role": "assistant", "content": "Bye."},
    ]


def test_reasoning_that_was_not_stored_is_not_referred_to_later() -> None:
    first, second, _ = replayed(*ANSWERS["thoughts and a call"], stored=False, store=True)
    assert first["type"] == "reasoning"
    assert "id" not in second


def test_reasoning_that_was_stored_goes_back_whole_when_nothing_is_stored_any_more() -> None:
    first, second, _ = replayed(*ANSWERS["thoughts and a call"], stored=True, store=False)
    assert first["encrypted_content"] == "gAAA-final"
    assert "id" not in second


def test_reasoning_that_led_to_reasoning_goes_back_with_it() -> None:
    events = (
        created(),
        *reasoning(0, "rs_1", "Hm."),
        *reasoning(1, "rs_2", "Ah."),
        *message(2, "msg_1", "So."),
        completed(),
    )
    assert [item.get("id", item["type"]) for item in replayed(*events)] == ["rs_1", "rs_2", "message"]


@pytest.mark.parametrize("store", [False, True])
def test_reasoning_that_nothing_follows_does_not_go_back(*, store: bool) -> None:
    alone = (created(), *message(0, "msg_1", "Hm."), *reasoning(1, "rs_1", "Hm."), completed())
    assert [item["type"] for item in replayed(*alone, stored=store)] == ["message"]
    # An answer that was interrupted: its last words have nothing of the provider's with them.
    thought = Thought("Hm.", {"id": "rs_1", "summary": [], "encrypted_content": "gAAA"})
    cut = WireTurn("assistant", (thought, SaidText("So I")), {"response_id": "resp_1", "stored": store})
    assert [item["type"] for item in items(cut, store=store)] == ["message"]


@proves("model-layer", 80)
def test_a_search_that_was_stored_is_referred_to_behind_its_reasoning() -> None:
    assert replayed(*SEARCHED, stored=True) == [
        {"type": "item_reference", "id": "rs_1"},
        {"type": "item_reference", "id": "ws_1"},
        {"type": "item_reference", "id": "rs_2"},
        {"type": "item_reference", "id": "msg_1"},
    ]


def test_a_search_that_was_not_stored_goes_back_whole_behind_its_reasoning() -> None:
    first, second, *_ = replayed(*SEARCHED)
    assert (first["type"], first["id"]) == ("reasoning", "rs_1")
    assert second == search_item("ws_1")


@proves("model-layer", 80)
def test_a_search_whose_reasoning_is_lost_does_not_go_back() -> None:
    events = (
        created(),
        *message(0, "msg_0", "Let me see."),
        *reasoning(1, "rs_1", "Hm.", encrypted=None),
        *search(2, "ws_1"),
        *search(3, "ws_2"),
        *reasoning(4, "rs_2", "Ah."),
        *message(5, "msg_1", "So."),
        completed(),
    )
    assert [item.get("id", item["type"]) for item in replayed(*events)] == ["message", "rs_2", "message"]


def test_searches_that_followed_one_another_go_back_together() -> None:
    events = (
        created(),
        *reasoning(0, "rs_1", "Hm."),
        *search(1, "ws_1"),
        *search(2, "ws_2"),
        *message(3, "msg_1", "So."),
        completed(),
    )
    assert [item.get("id", item["type"]) for item in replayed(*events)] == ["rs_1", "ws_1", "ws_2", "message"]


@pytest.mark.parametrize("store", [False, True])
@proves("model-layer", 80)
def test_a_search_without_reasoning_is_never_sent_alone(*, store: bool) -> None:
    events = (created(), *search(0, "ws_1"), *message(1, "msg_1", "So."), completed())
    assert [item["type"] for item in replayed(*events, stored=store)] == ["message"]


@proves("model-layer", 80)
def test_a_search_whose_result_was_lost_takes_its_reasoning_with_it() -> None:
    said = reply(heard(*SEARCHED))
    kept = tuple(part for part in said.parts if not isinstance(part, Called | Returned))
    without = items(WireTurn("assistant", kept, said.internal))
    assert [item.get("id", item["type"]) for item in without] == ["rs_2", "message"]


LOOK = Called("call_1", "look", {"path": "ä"})
SEEN = Returned("call_1", "look", "seen")


@pytest.mark.parametrize(
    "turns",
    [
        [WireTurn("assistant", (LOOK,)), user("Hi")],
        [WireTurn("assistant", (SaidText("Hm."),)), WireTurn("tool", (SEEN,))],
        [WireTurn("assistant", (LOOK, LOOK)), WireTurn("tool", (SEEN,))],
        [WireTurn("assistant", (LOOK,)), WireTurn("tool", (SEEN,)), WireTurn("tool", (SEEN,))],
        [WireTurn("tool", (SEEN,)), WireTurn("assistant", (LOOK,))],
        [WireTurn("tool", (SEEN, SEEN))],
    ],
    ids=["no output", "no call", "two calls", "two outputs", "output first", "two outputs, chained"],
)
@proves("model-layer", 81)
def test_calls_and_outputs_that_are_no_pairs_are_not_sent(turns: list[WireTurn]) -> None:
    with pytest.raises(ProviderError) as refused:
        items(*turns)
    assert (refused.value.fault, refused.value.retryable) == ("replay_mismatch", False)


@pytest.mark.parametrize("call_id", ["x" * 65, "functions.look:0", "", "call_\ud83d"])
def test_an_id_that_openai_does_not_take_is_hashed_for_call_and_output_alike(call_id: str) -> None:
    turns = [
        WireTurn("assistant", (Called(call_id, "look", {}),)),
        WireTurn("tool", (Returned(call_id, "look", "seen"),)),
    ]
    first, second = items(*turns)
    assert first["call_id"] == second["call_id"] != call_id
    assert items(*turns) == [first, second]
    assert problems(sent(turns)) == []
    (other, _) = items(
        WireTurn("assistant", (Called(call_id + "y", "look", {}),)),
        WireTurn("tool", (Returned(call_id + "y", "look", "seen"),)),
    )
    assert other["call_id"] != first["call_id"]


@pytest.mark.parametrize("call_id", ["call_1", "x" * 64])
def test_an_id_that_openai_takes_stays_as_it_is(call_id: str) -> None:
    turn = WireTurn("tool", (Returned(call_id, "look", "seen"),))
    assert items(turn)[0]["call_id"] == call_id


@pytest.mark.parametrize(
    ("output", "text"),
    [("seen", "seen"), ("", ""), ({"a": [1, "ä"]}, '{"a":[1,"ä"]}'), (None, "null"), ([1], "[1]")],
)
def test_a_result_is_text_whatever_it_was(output: Any, text: str) -> None:
    for is_error in (False, True):
        turn = WireTurn("tool", (Returned("call_1", "look", output, is_error),))
        assert items(turn) == [{"type": "function_call_output", "call_id": "call_1", "output": text}]


def _with_pictures(*attachments: Attachment) -> list[WireTurn]:
    return [
        WireTurn("assistant", (LOOK, Called("call_2", "look", {}))),
        WireTurn("tool", (Returned("call_1", "look", "A cat.", attachments=attachments),)),
        WireTurn("tool", (Returned("call_2", "look", "No cat."),)),
        user("Nice"),
    ]


@proves("model-layer", 91)
def test_a_picture_is_part_of_the_result_that_shows_it() -> None:
    turns = _with_pictures(PNG, PDF)
    assert items(*turns)[2] == {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": [
            {"type": "input_text", "text": "A cat."},
            {"type": "input_image", "image_url": PNG_URL, "detail": "auto"},
            {
                "type": "input_file",
                "filename": "part-2.pdf",
                "file_data": "data:application/pdf;base64,JVBERg==",
            },
        ],
    }
    assert problems(sent(turns)) == []


@proves("model-layer", 91)
def test_a_picture_follows_the_results_where_these_are_only_text() -> None:
    turns = _with_pictures(PNG)
    quirks = Quirks(list_outputs=False)
    written = items(*turns, quirks=quirks)
    kinds = [item.get("role", item["type"]) for item in written]
    assert kinds == [
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
        "user",
        "user",
    ]
    assert written[2]["output"].startswith("A cat.\n[")
    assert written[4]["content"] == [{"type": "input_image", "image_url": PNG_URL, "detail": "auto"}]
    assert written[5]["content"] == [{"type": "input_text", "text": "Nice"}]
    assert items(*turns[:-1], quirks=quirks) == written[:-1]
    assert problems(sent(turns, to=target(quirks=quirks))) == []


@pytest.mark.parametrize("list_outputs", [True, False])
@proves("model-layer", 91)
def test_a_result_that_cannot_be_shown_says_so(*, list_outputs: bool) -> None:
    to = target(quirks=Quirks(list_outputs=list_outputs))
    turns = _with_pictures(Attachment("video/mp4", b"...."))
    written = RESPONSES.write_turns(turns, to, newest=True)
    assert len(written.warnings) == 1
    assert "video/mp4" in written.warnings[0]
    assert "video/mp4" in str(written.items[2]["output"])
    assert problems(sent(turns, to=to)) == []


@proves("model-layer", 95)
def test_a_computer_is_answered_with_one_screenshot_in_its_original_detail() -> None:
    said = reply(heard(*ANSWERS["a computer"]))
    turns = [said, WireTurn("tool", (Returned("call_screen", "computer", "", attachments=(PNG,)),))]
    first, second, third = items(*turns)
    assert first["type"] == "reasoning"
    assert second == COMPUTER_CALL
    assert third == {
        "type": "computer_call_output",
        "call_id": "call_screen",
        "output": {"type": "computer_screenshot", "image_url": PNG_URL, "detail": "original"},
        "acknowledged_safety_checks": COMPUTER_CALL["pending_safety_checks"],
    }
    assert problems(sent(turns)) == []


def test_a_computer_that_showed_nothing_is_answered_like_a_function() -> None:
    said = reply(heard(*ANSWERS["a computer"]))
    turns = [said, WireTurn("tool", (Returned("call_screen", "computer", "It is off.", is_error=True),))]
    # The reasoning led to something else than a function.
    assert [item["type"] for item in items(*turns)] == ["function_call", "function_call_output"]
    assert problems(sent(turns)) == []


def test_nothing_of_another_provider_goes_to_this_one() -> None:
    """What is not this provider's own comes without `internal`."""
    said = reply(heard(*ANSWERS["thoughts and a call"]))
    foreign = WireTurn(
        "assistant",
        tuple(
            type(part)(**{**_fields(part), "internal": None})
            for part in said.parts
            if isinstance(part, SaidText | Thought | Called)
        ),
    )
    written = items(foreign, *results(foreign), store=True)
    assert [item["type"] for item in written] == ["function_call", "function_call_output"]
    assert "id" not in written[0]


def _fields(part: SaidText | Thought | Called) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.__struct_fields__}


@pytest.mark.parametrize("internal", [7, "x", [], {"id": 3, "after": None, "item": "?", "summary": None}])
def test_data_that_makes_no_sense_is_not_sent(internal: Any) -> None:
    parts = (
        Thought("Hm.", internal),
        Called("ws", "web_search", {}, provider_executed=True, internal=internal),
    )
    said = WireTurn("assistant", (*parts, SaidText("Hi.", internal)), internal)
    for store in (False, True):
        assert [item["type"] for item in items(said, store=store)] == ["message"]


def test_the_bonds_between_items_are_told_with_them() -> None:
    out = heard(*SEARCHED)
    kept = [event.internal for event in out if isinstance(event, BlockEnded | ToolCalled)]
    assert [(each["id"], each.get("after")) for each in kept] == [
        ("rs_1", None),
        ("ws_1", "rs_1"),
        ("rs_2", "ws_1"),
        ("msg_1", "rs_2"),
    ]
