"""What OpenAI accepts as a Responses request: a reader of our own, made from the specification.

It knows nothing of how requests are written here. It looks at the finished body and lists everything that
the provider would refuse, or quietly misunderstand.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Fields: TypeAlias = Mapping[str, Any]

_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DATA_URL = re.compile(r"data:[a-z]+/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+=*")
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_INCLUDES = {
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
    "file_search_call.results",
    "message.input_image.image_url",
    "message.output_text.logprobs",
    "reasoning.encrypted_content",
    "web_search_call.action.sources",
    "web_search_call.results",
}
_PLAIN_MODELS = ("gpt-4", "gpt-5-chat")
_HOSTED = {"web_search_call", "file_search_call", "code_interpreter_call", "mcp_call"}
_CALLS = {"function_call", "computer_call"}
_OUTPUTS = {"function_call_output", "computer_call_output"}
_STATUSES = {"in_progress", "searching", "completed", "incomplete", "failed", "interpreting", "calling"}


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_TOP_LEVEL: Mapping[str, Callable[[Any], bool]] = {
    "model": lambda v: isinstance(v, str) and v != "",
    "input": lambda v: isinstance(v, list) and v != [],
    "stream": lambda v: v is True,
    "store": lambda v: isinstance(v, bool),
    "include": lambda v: isinstance(v, list) and len(set(v)) == len(v) and set(v) <= _INCLUDES,
    "previous_response_id": lambda v: isinstance(v, str) and v != "",
    "instructions": lambda v: isinstance(v, str),
    "max_output_tokens": _is_count,
    "max_tool_calls": _is_count,
    "temperature": lambda v: isinstance(v, int | float) and 0 <= v <= 2,
    "top_p": lambda v: isinstance(v, int | float) and 0 <= v <= 1,
    "top_logprobs": lambda v: isinstance(v, int) and 0 <= v <= 20,
    "reasoning": lambda v: (
        _only(v, "effort", "summary")
        and v.get("effort", "low") in _EFFORTS
        and v.get("summary", "auto") in ("auto", "concise", "detailed")
    ),
    "text": lambda v: _only(v, "verbosity") and v.get("verbosity") in ("low", "medium", "high"),
    "service_tier": lambda v: v in ("auto", "default", "flex", "scale", "priority"),
    "metadata": lambda v: isinstance(v, dict) and all(isinstance(each, str) for each in v.values()),
    "user": lambda v: isinstance(v, str),
    "safety_identifier": lambda v: isinstance(v, str),
    "prompt_cache_key": lambda v: isinstance(v, str),
    "parallel_tool_calls": lambda v: isinstance(v, bool),
    "tools": lambda v: isinstance(v, list) and v != [],
    "tool_choice": lambda v: v in ("auto", "none", "required"),
}


def problems(body: Fields) -> list[str]:
    """Everything that is wrong with a request. Empty: it would be accepted."""
    found = [f"{name} is missing" for name in ("model", "input", "stream", "store") if name not in body]
    for name, value in body.items():
        check = _TOP_LEVEL.get(name)
        if check is None:
            found.append(f"{name} is no field of a request")
        elif not check(value):
            found.append(f"{name} cannot be {str(value)[:60]!r}")
    if found:
        return found
    items = body["input"]
    rules = (_settings(body), _tools(body.get("tools", ())), _shapes(items), _storage(body, items))
    found = [problem for rule in rules for problem in rule]
    # Whatever has no shape cannot be put in order either.
    return found or [*_pairs(items, chained="previous_response_id" in body), *_order(items)]


def _only(value: Any, *names: str) -> bool:
    return isinstance(value, dict) and value != {} and value.keys() <= set(names)


def _settings(body: Fields) -> Iterator[str]:
    encrypted = "reasoning.encrypted_content" in body.get("include", ())
    if encrypted and body["model"].startswith(_PLAIN_MODELS):
        yield "a model that does not reason has no encrypted reasoning to include"
    if not body["store"] and not encrypted and not body["model"].startswith(_PLAIN_MODELS):
        yield "nothing is stored, and reasoning would be lost: include lacks reasoning.encrypted_content"
    if "top_logprobs" in body and "message.output_text.logprobs" not in body.get("include", ()):
        yield "top_logprobs is asked for and not included"
    if "reasoning" in body and {"temperature", "top_p"} & body.keys():
        yield "a reasoning model takes neither temperature nor top_p"
    if "parallel_tool_calls" in body and "tools" not in body:
        yield "parallel_tool_calls without tools"


def _tools(tools: Sequence[Any]) -> Iterator[str]:
    names = [tool.get("name") for tool in tools if tool.get("type") == "function"]
    if len(set(names)) < len(names):
        yield "two tools have one name"
    for tool in tools:
        if tool.get("type") == "function":
            yield from _function(tool)
        elif tool.get("type") == "web_search":
            if not tool.keys() <= {"type", "search_context_size", "filters", "user_location"}:
                yield "web_search has unknown fields"
            if "filters" in tool and not tool["filters"].get("allowed_domains"):
                yield "web_search filters nothing"
        else:
            yield f"{tool.get('type')} is no tool"


def _function(tool: Fields) -> Iterator[str]:
    if tool.keys() != {"type", "name", "description", "parameters", "strict"}:
        yield "a function has the wrong fields"
        return
    if not _TOOL_NAME.fullmatch(tool["name"]):
        yield f"{tool['name']!r} is no name for a tool"
    schema = tool["parameters"]
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        yield f"{tool['name']} takes no object"
    elif tool["strict"]:
        yield from _strict(schema)


def _strict(schema: Fields) -> Iterator[str]:
    if {"default", "oneOf", "allOf", "minLength", "maxLength"} & schema.keys():
        yield f"a strict schema has unknown keywords: {sorted(schema)}"
    if "properties" in schema:
        if schema.get("additionalProperties") is not False:
            yield "a strict object is open"
        if list(schema.get("required", ())) != list(schema["properties"]):
            yield "a strict object has optional properties"
    inner = [
        *schema.get("properties", {}).values(),
        *schema.get("$defs", {}).values(),
        *schema.get("anyOf", ()),
    ]
    for each in [*inner, *([schema["items"]] if "items" in schema else [])]:
        yield from _strict(each)


def _shapes(items: Sequence[Any]) -> Iterator[str]:
    for place, item in enumerate(items):
        kind = item.get("type") if isinstance(item, dict) else None
        check = _SHAPES.get(kind or "")
        if check is None:
            yield f"item {place}: {kind!r} is no item"
        else:
            yield from (f"item {place} ({kind}): {problem}" for problem in check(item))


def _message(item: Fields) -> Iterator[str]:
    role, content = item.get("role"), item.get("content")
    if role == "assistant":
        yield from _fields(item, {"type", "role", "content"}, {"phase"})
        if not isinstance(content, str) or not content.strip():
            yield "an assistant says text, and not nothing"
        if item.get("phase", "commentary") not in ("commentary", "final_answer"):
            yield "unknown phase"
        return
    yield from _fields(item, {"type", "role", "content"})
    if role in ("system", "developer"):
        if not isinstance(content, str) or not content:
            yield f"{role} without text"
    elif role == "user":
        yield from _content(content)
    else:
        yield f"{role!r} is no role"


def _content(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        return
    if not isinstance(content, list) or not content:
        yield "no content"
        return
    for part in content:
        match part:
            case {"type": "input_text", "text": str(text)} if text:
                yield from _fields(part, {"type", "text"})
            case {
                "type": "input_image",
                "image_url": str(url),
                "detail": "auto" | "low" | "high" | "original",
            }:
                yield from _fields(part, {"type", "image_url", "detail"})
                if not re.fullmatch(r"data:image/.*", url) or not _DATA_URL.fullmatch(url):
                    yield "a picture is no picture"
            case {"type": "input_file", "filename": str(name), "file_data": str(url)} if name:
                yield from _fields(part, {"type", "filename", "file_data"})
                if not _DATA_URL.fullmatch(url):
                    yield "a file has no data"
            case _:
                yield f"{part!r:.60} is no content"


def _fields(
    item: Fields, needed: set[str], allowed: set[str] | frozenset[str] = frozenset()
) -> Iterator[str]:
    if missing := sorted(needed - item.keys()):
        yield f"lacks {', '.join(missing)}"
    if unknown := sorted(item.keys() - needed - allowed):
        yield f"does not know {', '.join(unknown)}"


def _call_id(item: Fields) -> Iterator[str]:
    if not _CALL_ID.fullmatch(str(item.get("call_id"))):
        yield f"{item.get('call_id')!r} is no call_id"


def _function_call(item: Fields) -> Iterator[str]:
    yield from _fields(item, {"type", "call_id", "name", "arguments"}, {"id"})
    yield from _call_id(item)
    if not _TOOL_NAME.fullmatch(str(item.get("name"))):
        yield "no name"
    try:
        arguments = json.loads(item.get("arguments", ""))
    except (TypeError, ValueError):
        arguments = None
    if not isinstance(arguments, dict):
        yield "the arguments are no JSON object"


def _function_output(item: Fields) -> Iterator[str]:
    yield from _fields(item, {"type", "call_id", "output"})
    yield from _call_id(item)
    yield from _content(item.get("output"))


def _computer_call(item: Fields) -> Iterator[str]:
    yield from _fields(
        item, {"type", "id", "call_id", "pending_safety_checks", "status"}, {"actions", "action"}
    )
    yield from _call_id(item)
    if not ({"actions", "action"} & item.keys()):
        yield "no actions"


def _computer_output(item: Fields) -> Iterator[str]:
    yield from _fields(item, {"type", "call_id", "output", "acknowledged_safety_checks"})
    yield from _call_id(item)
    screen = item.get("output", {})
    if screen.get("type") != "computer_screenshot" or screen.get("detail") != "original":
        yield "no screenshot in its original detail"
    elif not _DATA_URL.fullmatch(screen.get("image_url", "")):
        yield "the screenshot has no data"


def _reasoning(item: Fields) -> Iterator[str]:
    yield from _fields(item, {"type", "id", "summary", "encrypted_content"}, {"content"})
    if not item.get("id") or not item.get("encrypted_content"):
        yield "without its encrypted content it is nothing"
    for name, kind in (("summary", "summary_text"), ("content", "reasoning_text")):
        if any(part.get("type") != kind or "text" not in part for part in item.get(name, ())):
            yield f"its {name} is malformed"


def _hosted(item: Fields) -> Iterator[str]:
    if not item.get("id") or item.get("status") not in _STATUSES:
        yield "no id or no status"
    if item["type"] == "web_search_call":
        yield from _fields(item, {"type", "id", "status", "action"})


def _reference(item: Fields) -> Iterator[str]:
    yield from _fields(item, {"type", "id"})
    if not item.get("id"):
        yield "refers to nothing"


_SHAPES: Mapping[str, Callable[[Fields], Iterator[str]]] = {
    "message": _message,
    "function_call": _function_call,
    "function_call_output": _function_output,
    "computer_call": _computer_call,
    "computer_call_output": _computer_output,
    "reasoning": _reasoning,
    "item_reference": _reference,
    **dict.fromkeys(_HOSTED, _hosted),
}


def _storage(body: Fields, items: Sequence[Fields]) -> Iterator[str]:
    """What may be referred to, and what may not be repeated."""
    kinds = {item["type"] for item in items if isinstance(item, dict) and "type" in item}
    if not body["store"]:
        if "item_reference" in kinds:
            yield "refers to an item, and nothing is stored"
        if any(item.get("type") == "function_call" and "id" in item for item in items):
            yield "a call has the id of an item that is not stored"
        if "previous_response_id" in body:
            yield "goes on from a response, and nothing is stored"
    if "previous_response_id" in body:
        repeated = kinds - _OUTPUTS - {"message"}
        if repeated or any(item.get("role") == "assistant" for item in items):
            yield "repeats what the previous response holds"


def _pairs(items: Sequence[Fields], *, chained: bool) -> Iterator[str]:
    calls = [(place, item) for place, item in enumerate(items) if item["type"] in _CALLS]
    outputs = [(place, item) for place, item in enumerate(items) if item["type"] in _OUTPUTS]
    for group, what in ((calls, "call"), (outputs, "output")):
        ids = [item["call_id"] for _, item in group]
        yield from (f"{each} has two {what}s" for each in sorted({i for i in ids if ids.count(i) > 1}))
    for place, call in calls:
        wanted = f"{call['type']}_output"
        if not any(o["call_id"] == call["call_id"] and o["type"] == wanted and p > place for p, o in outputs):
            yield f"{call['call_id']} has no later output"
    for place, output in outputs:
        if not chained and not any(c["call_id"] == output["call_id"] and p < place for p, c in calls):
            yield f"{output['call_id']} has no earlier call"


def _order(items: Sequence[Fields]) -> Iterator[str]:
    """Reasoning leads to something, and a search of the provider's own was led to."""
    for place, item in enumerate(items):
        before = items[place - 1] if place else {}
        after = items[place + 1] if place + 1 < len(items) else {}
        if _is_reasoning(item) and not _is_produced(after):
            yield f"{item['id']}: nothing that the reasoning led to follows it"
        if _refers(item, "rs_") and not after.get("id"):
            yield f"{item['id']}: what follows it is not the item that it led to"
        if _is_hosted(item) and not (_is_reasoning(before) or _is_hosted(before)):
            yield f"{item['id']}: its reasoning does not stand before it"


def _is_reasoning(item: Fields) -> bool:
    return item.get("type") == "reasoning" or _refers(item, "rs_")


def _is_hosted(item: Fields) -> bool:
    return item.get("type") in _HOSTED or _refers(item, "ws_")


def _is_produced(item: Fields) -> bool:
    produced = item.get("type") in _CALLS or item.get("role") == "assistant"
    return produced or _is_reasoning(item) or _is_hosted(item) or _refers(item, "msg_")


def _refers(item: Fields, prefix: str) -> bool:
    return item.get("type") == "item_reference" and str(item.get("id")).startswith(prefix)
