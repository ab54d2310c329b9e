"""A reader that accepts everything would prove nothing."""

from typing import Any

import pytest

from tests.providers.dialects.responses.validator import problems

GOOD: dict[str, Any] = {
    "model": "gpt-5.6",
    "stream": True,
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "input": [
        {"type": "message", "role": "developer", "content": "Be brief."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search"}},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gBBB"},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "seen"},
    ],
}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "seen"}
USER = GOOD["input"][1]


def test_a_good_request_has_no_problems() -> None:
    assert problems(GOOD) == []


def test_a_chained_request_has_no_problems() -> None:
    body = {**GOOD, "store": True, "include": [], "previous_response_id": "resp_1"}
    assert problems({**body, "input": [OUTPUT, USER]}) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"store": None}, "store cannot be"),
        ({"include": []}, "include lacks"),
        ({"model": "gpt-4o"}, "has no encrypted reasoning"),
        ({"include": ["everything"]}, "include cannot be"),
        ({"seed": 1}, "seed is no field"),
        ({"temperature": 1, "reasoning": {"effort": "low"}}, "neither temperature"),
        ({"previous_response_id": "resp_1"}, "nothing is stored"),
        ({"previous_response_id": "resp_1", "store": True}, "repeats"),
        ({"previous_response_id": "", "store": True}, "previous_response_id cannot be"),
    ],
)
def test_settings_that_do_not_fit_are_found(change: dict[str, Any], problem: str) -> None:
    assert any(problem in found for found in problems({**GOOD, **change}))


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([*GOOD["input"][:6]], "c1 has no later output"),
        ([USER, OUTPUT], "c1 has no earlier call"),
        ([*GOOD["input"], OUTPUT], "c1 has two outputs"),
        ([*GOOD["input"], *GOOD["input"][5:]], "c1 has two calls"),
        ([OUTPUT, *GOOD["input"][:6]], "c1 has no later output"),
        ([*GOOD["input"][:3]], "nothing that the reasoning led to"),
        ([*GOOD["input"][:3], USER], "nothing that the reasoning led to"),
        ([USER, GOOD["input"][3]], "its reasoning does not stand before it"),
        ([USER, {"type": "item_reference", "id": "rs_1"}, *GOOD["input"][5:]], "refers to an item"),
        ([USER, {"type": "reasoning", "id": "rs_1", "summary": []}, *GOOD["input"][5:]], "encrypted"),
        ([{**GOOD["input"][5], "call_id": "c" * 65}], "is no call_id"),
        ([{**GOOD["input"][5], "arguments": "[]"}], "no JSON object"),
        ([{**GOOD["input"][5], "id": "fc_1"}, OUTPUT], "is not stored"),
        ([{"type": "message", "role": "assistant", "content": " "}], "not nothing"),
        ([{"type": "message", "role": "user", "content": []}], "no content"),
        ([{"type": "message", "role": "user", "content": [{"type": "image"}]}], "is no content"),
        ([{"type": "dream"}], "is no item"),
    ],
)
def test_items_that_do_not_fit_are_found(items: list[Any], problem: str) -> None:
    assert any(problem in found for found in problems({**GOOD, "input": items}))


def test_reasoning_that_is_referred_to_before_words_that_are_not_is_found() -> None:
    words = {"type": "message", "role": "assistant", "content": "So."}
    items = [USER, {"type": "item_reference", "id": "rs_1"}, words]
    assert problems({**GOOD, "store": True, "input": items}) == [
        "rs_1: what follows it is not the item that it led to"
    ]


@pytest.mark.parametrize("reference", ["ws_1"])
def test_a_search_that_is_referred_to_alone_is_found(reference: str) -> None:
    items = [USER, {"type": "item_reference", "id": reference}]
    assert problems({**GOOD, "store": True, "input": items}) == [
        "ws_1: its reasoning does not stand before it"
    ]
