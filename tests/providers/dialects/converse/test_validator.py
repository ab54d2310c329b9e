"""A checker that accepts everything proves nothing."""

from typing import Any

import pytest

from tests.providers.dialects.converse.validator import problems


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def model(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def use(id: str = "1", name: str = "a", **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id, "name": name, "input": {}, **more}}


def result(id: str = "1", *content: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id, "content": list(content) or [HI]}}


def document(name: str, form: str = "pdf") -> dict[str, Any]:
    return {"document": {"name": name, "format": form, "source": {"bytes": "eA=="}}}


HI = {"text": "hi"}
TOOLS = {
    "tools": [{"toolSpec": {"name": "a", "description": "A", "inputSchema": {"json": {"type": "object"}}}}]
}


def test_a_good_request_is_accepted() -> None:
    messages = [
        user(HI, document("a"), document("b (2) - [c]")),
        model({"reasoningContent": {"reasoningText": {"text": "", "signature": "x"}}}, use(), use("2")),
        user(result(), result("2", document("d")), HI, {"cachePoint": {"type": "default"}}),
        model(use("3", type="server_tool_use"), result("3"), HI),
        user(HI),
    ]
    assert problems({"messages": messages, "toolConfig": TOOLS}) == []


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [model(HI), user(HI)],
        [user(HI), user(HI)],
        [user()],
        [user({"text": " "})],
        [user({"novelty": 1})],
        [user({"text": "a", "image": {}})],
        [user(document("a"))],
        [user(HI, document("a_b"))],
        [user(HI, document("a  b"))],
        [user(HI, document(""))],
        [user(HI, document("a", "exe"))],
        [user(HI, document("a"), document("a"))],
        [user(HI, {"image": {"format": "bmp", "source": {"bytes": "eA=="}}})],
        [user(HI, {"image": {"format": "png"}})],
        [user({"cachePoint": {"type": "default"}})],
        [user(HI), model(use())],
        [user(HI), model(use(), use("2")), user(result("2"), result("1"))],
        [user(HI), model(use(), use()), user(result(), result())],
        [user(HI), model(use(id="a b")), user(result("a b"))],
        [user(HI), model(use(name="a.b")), user(result())],
        [user(HI), model({"toolUse": {"toolUseId": "1", "name": "a", "input": []}}), user(result())],
        [user(HI), model(HI), user(result())],
        [user(HI), model(use()), user({"toolResult": {"toolUseId": "1", "content": []}})],
        [user(HI), model(use()), user(result("1", {"text": ""}))],
        [user(HI), model(use("3", type="server_tool_use"), HI), user(HI)],
        [user(HI), model({"reasoningContent": {"reasoningText": {"text": "a"}}})],
        [user(HI), model({"reasoningContent": {"redactedContent": ""}})],
        [user(use())],
        [user(HI), model(HI, document("a"))],
    ],
)
def test_a_bad_history_is_refused(messages: list[Any]) -> None:
    assert problems({"messages": messages, "toolConfig": TOOLS}) != []


@pytest.mark.parametrize(
    "head",
    [
        {},
        {"toolConfig": {"tools": []}},
        {"toolConfig": {"tools": [{"toolSpec": {"name": "a", "inputSchema": {"json": {"type": "object"}}}}]}},
        {"toolConfig": {"tools": [{"toolSpec": {"name": "a", "description": "A"}}]}},
        {"toolConfig": TOOLS, "system": [{"text": ""}]},
        {"toolConfig": TOOLS, "inferenceConfig": {"topK": 1}},
        {"toolConfig": TOOLS, "inferenceConfig": {"temperature": 1.1}},
        {"toolConfig": TOOLS, "system": [{"cachePoint": {"type": "default"}}] * 5},
    ],
)
def test_bad_settings_are_refused(head: dict[str, Any]) -> None:
    messages = [user(HI), model(use()), user(result())]
    assert problems({"messages": messages, **head}) != []
