"""The validator finds what it is for: a request that it takes is one that a server would take."""

from typing import Any

import pytest

from tests.providers.dialects.chat.validator import problems


def _call(call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "look", "arguments": "{}"}, **more}


def _result(call_id: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "done"}


def _calls(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


USER = {"role": "user", "content": "Hi."}


def _body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "m", "stream": True, "messages": list(messages), **more}


def test_a_good_request_has_no_problems() -> None:
    said = {"role": "assistant", "content": "Hello."}
    body = _body(
        {"role": "system", "content": "Be kind."},
        USER,
        _calls(_call(), _call("c2")),
        _result("c2"),
        _result(),
    )

    assert problems({**body, "messages": [*body["messages"], said]}) == []


@pytest.mark.parametrize(
    "body",
    [
        _body(),
        _body({"role": "system", "content": "Be kind."}),
        _body(USER, _calls(_call())),
        _body(USER, _calls(_call()), USER, _result()),
        _body(USER, _calls(_call()), _result(), _result()),
        _body(USER, _calls(_call(), _call()), _result(), _result()),
        _body(USER, _result()),
        _body(USER, {"role": "assistant", "content": None}),
        _body(USER, {"role": "assistant", "content": ""}),
        _body(USER, {"role": "assistant", "content": "Hi.", "tool_calls": []}),
        _body(USER, _calls(_call("")), _result("")),
        _body(USER, _calls(_call("x" * 65)), _result("x" * 65)),
        _body(USER, _calls(_call(function={"name": "look", "arguments": "[]"})), _result()),
        _body(USER, _calls(_call(function={"name": "look", "arguments": "{"})), _result()),
        _body(USER, _calls(_call(function={"name": "look", "arguments": {}})), _result()),
        _body(USER, _calls(_call(type="custom")), _result()),
        _body({"role": "user", "content": " "}),
        _body({"role": "user", "content": []}),
        _body({"role": "user", "content": [{"type": "video"}]}),
        _body({"role": "user", "content": "Hi.", "tool_call_id": "c1"}),
        _body({"role": "function", "content": "Hi."}),
        _body(USER, max_tokens=1, max_completion_tokens=1),
        _body(USER, tools=[]),
        _body(USER, tool_choice="auto"),
        _body(USER, tools=[{"type": "function", "function": {"name": "look", "parameters": {}}}]),
        _body(USER) | {"stream": False},
    ],
)
def test_a_bad_request_has_some(body: dict[str, Any]) -> None:
    assert problems(body) != []
