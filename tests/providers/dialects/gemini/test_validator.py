"""A checker that accepts everything proves nothing."""

from typing import Any

import pytest

from tests.providers.dialects.gemini.validator import problems


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def call(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **more}, "thoughtSignature": "x"}


def response(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {}, **more}}


HI = {"text": "hi"}


def test_a_good_request_is_accepted() -> None:
    contents = [user(HI), model(call(id="1"), call("b")), user(response(id="1"), response("b"), HI)]
    assert problems({"contents": contents}) == []


@pytest.mark.parametrize(
    "contents",
    [
        [],
        [model(HI), user(HI)],
        [user(HI), user(HI)],
        [user(HI), model(HI), model(HI)],
        [user()],
        [user({"text": ""})],
        [user({"novelty": 1})],
        [user({"text": "a", "inlineData": {}})],
        [user(HI), model(call())],
        [user(HI), model(call(), call("b")), user(response("b"), response())],
        [user(HI), model(call(), call("b")), user(response(), HI, response("b"))],
        [user(HI), model(call()), user(HI, response())],
        [user(HI), model(call(id="1")), user(response())],
        [user(HI), model(call(id="1"), call(id="1")), user(response(id="1"), response(id="1"))],
        [user(HI), model({"functionCall": {"name": "a", "args": {}}}), user(response())],
        [user(HI), model(call("1bad")), user(response("1bad"))],
        [user(HI), model(HI), user(response())],
        [user(response())],
        [user(call())],
        [user({"text": "a", "thoughtSignature": "x"})],
        [user(HI), model(response())],
    ],
)
def test_a_bad_history_is_refused(contents: list[Any]) -> None:
    assert problems({"contents": contents}) != []


@pytest.mark.parametrize(
    "head",
    [
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "low", "thinkingBudget": 1}}},
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "max"}}},
        {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0, "includeThoughts": True}}},
        {"tools": [{"functionDeclarations": [{"name": "a b", "parametersJsonSchema": {"type": "object"}}]}]},
        {"tools": [{"functionDeclarations": [{"name": "a"}]}]},
        {"cachedContent": "c", "tools": []},
        {"systemInstruction": {"parts": [{"text": ""}]}},
    ],
)
def test_bad_settings_are_refused(head: dict[str, Any]) -> None:
    assert problems({"contents": [user(HI)], **head}) != []


def test_an_id_on_vertex_is_refused() -> None:
    contents = [user(HI), model(call(id="1")), user(response(id="1"))]
    assert problems({"contents": contents}, vertex=True) != []
