"""The validator itself: it accepts a good request, and finds each thing that is wrong with a bad one."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.providers.dialects.anthropic.validator import problems

MARK = {"cache_control": {"type": "ephemeral"}}


def good() -> dict[str, Any]:
    return copy.deepcopy(
        {
            "model": "claude",
            "max_tokens": 4096,
            "stream": True,
            "system": [{"type": "text", "text": "Be brief."}],
            "tools": [{"name": "a", "input_schema": {"type": "object", "properties": {}}}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Hello."}]},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "", "signature": "c2ln"},
                        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
                        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
                        {"type": "tool_use", "id": "c1", "name": "a", "input": {}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "c1",
                            "content": [{"type": "text", "text": "Done."}],
                        },
                        {"type": "text", "text": "And?"},
                    ],
                },
            ],
        }
    )


def content(body: dict[str, Any], at: int) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = body["messages"][at]["content"]
    return blocks


Spoil = Callable[[dict[str, Any]], object]

SPOILT: dict[str, Spoil] = {
    "unknown field zzz": lambda body: body.update(zzz=1),
    "temperature is refused under 2026-10-21": lambda body: body.update(temperature=1),
    "max_tokens is missing": lambda body: body.pop("max_tokens"),
    "the system says something other than text": lambda body: body["system"][0].update(text=" "),
    "the thinking budget does not fit below max_tokens": lambda body: body.update(
        thinking={"type": "enabled", "budget_tokens": 4096}
    ),
    "a forced tool together with thinking": lambda body: body.update(
        thinking={"type": "adaptive"}, tool_choice={"type": "any"}
    ),
    "tool_choice without tools": lambda body: (body.pop("tools"), body.update(tool_choice={"type": "auto"})),
    "two tools have one name": lambda body: body["tools"].append(body["tools"][0]),
    "the schema of a is no object": lambda body: body["tools"][0].update(input_schema={"type": "string"}),
    "the schema of a has alternatives at its top": lambda body: body["tools"][0]["input_schema"].update(
        oneOf=[]
    ),
    "the schema of a names an argument as none may be named": lambda body: body["tools"][0][
        "input_schema"
    ].update(properties={"a[b]": {}}),
    "no messages": lambda body: body.update(messages=[]),
    "the first message is not the user's": lambda body: body["messages"].pop(0),
    "message 1: the same role twice": lambda body: body["messages"].insert(0, body["messages"][0]),
    "message 0: no content": lambda body: content(body, 0).clear(),
    "message 0: empty text": lambda body: content(body, 0)[0].update(text="\n"),
    "message 0: the user cites": lambda body: content(body, 0)[0].update(citations=[{}]),
    "message 0: thinking said by the user": lambda body: content(body, 0).insert(0, {"type": "thinking"}),
    "message 0: an image of type image/bmp": lambda body: content(body, 0).append(
        {"type": "image", "source": {"media_type": "image/bmp", "data": "x"}}
    ),
    "message 0: title 'a.pdf'": lambda body: content(body, 0).append(
        {"type": "document", "title": "a.pdf", "source": {"data": "x"}}
    ),
    "message 1: document said by the model": lambda body: content(body, 1).insert(0, {"type": "document"}),
    "message 1: thoughts without a signature": lambda body: content(body, 1)[0].pop("signature"),
    "message 1: ends with thoughts": lambda body: content(body, 1).append(content(body, 1)[0]),
    "message 1: id 'c.1'": lambda body: content(body, 1)[3].update(id="c.1"),
    "message 1: arguments that are no object": lambda body: content(body, 1)[3].update(input="{}"),
    "message 1: server tool telepathy": lambda body: content(body, 1)[1].update(name="telepathy"),
    "message 1: server call s1 without a result": lambda body: content(body, 1).pop(2),
    "message 1: server result s1 without a call before it": lambda body: content(body, 1).insert(
        1, content(body, 1).pop(2)
    ),
    "message 1: server call s1 twice": lambda body: content(body, 1).insert(1, content(body, 1)[1]),
    "message 1: web_fetch_tool_result answers web_search": lambda body: content(body, 1)[2].update(
        type="web_fetch_tool_result"
    ),
    "message 1: calls ['c1'] are answered by []": lambda body: content(body, 2).pop(0),
    "message 1: calls [] are answered by ['c1']": lambda body: content(body, 1).__delitem__(3),
    "message 1: an id is used twice": lambda body: content(body, 1).append(content(body, 1)[3]),
    "message 2: results behind other blocks": lambda body: content(body, 2).reverse(),
    "message 2: an empty result": lambda body: content(body, 2)[0].update(content=[]),
    "message 2: an error that is not only text": lambda body: content(body, 2)[0].update(
        is_error=True, content=[{"type": "image", "source": {"media_type": "image/png", "data": "x"}}]
    ),
    "message 0: results without calls": lambda body: content(body, 0).insert(0, content(body, 2)[0]),
    "5 cache marks": lambda body: [
        block.update(MARK)
        for block in (*body["tools"], *body["system"], *content(body, 0), *content(body, 2))
    ],
    "a cache mark on thoughts": lambda body: content(body, 1)[0].update(MARK),
    "a longer cache mark behind a shorter one": lambda body: (
        body["system"][0].update(MARK),
        content(body, 0)[0].update(cache_control={"type": "ephemeral", "ttl": "1h"}),
    ),
}


def test_a_good_request_has_no_problems() -> None:
    assert problems(good()) == []


@pytest.mark.parametrize("problem", SPOILT)
def test_what_is_wrong_is_found(problem: str) -> None:
    body = good()
    SPOILT[problem](body)

    assert problem in problems(body)


def test_the_old_api_takes_sampling() -> None:
    assert problems(good() | {"temperature": 1}, "2023-06-01") == []
