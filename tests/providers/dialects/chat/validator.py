"""What a strict server would refuse in a request of Chat Completions. Written from the specification."""

import json
from collections.abc import Iterator
from typing import Any

_ROLES = {"system", "developer", "user", "assistant", "tool"}
_USER_PARTS = {"text", "image_url", "input_audio", "file"}
_ID_CHARACTERS_MAX = 64


def problems(body: dict[str, Any]) -> list[str]:
    """Empty for a request that every server would take."""
    found = [] if isinstance(body.get("model"), str) and body["model"] else ["there is no model"]
    if body.get("stream") is not True:
        found.append("it is not streamed")
    if "max_tokens" in body and "max_completion_tokens" in body:
        found.append("two limits")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return [*found, "there are no messages"]
    if not any(message.get("role") in {"user", "tool"} for message in messages):
        found.append("nobody has asked anything")
    for place, message in enumerate(messages):
        found += [f"message {place}: {problem}" for problem in _in_message(message)]
    found += _in_order(messages)
    found += _in_tools(body)
    return found


def _in_message(message: dict[str, Any]) -> Iterator[str]:
    role = message.get("role")
    if role not in _ROLES:
        yield f"no such role: {role!r}"
    elif role == "assistant":
        yield from _in_assistant(message)
    else:
        yield from _in_content(message.get("content"), texts_only=role != "user")
        if "tool_calls" in message:
            yield "only an assistant calls tools"
    if (role == "tool") != ("tool_call_id" in message):
        yield "an id of a call belongs to a result, and to nothing else"


def _in_content(content: Any, *, texts_only: bool) -> Iterator[str]:
    if isinstance(content, str):
        if not content.strip():
            yield "blank content"
        return
    if not isinstance(content, list) or not content:
        yield "content is neither text nor a list of parts"
        return
    for part in content:
        kind = part.get("type")
        if kind not in ({"text"} if texts_only else _USER_PARTS):
            yield f"a part of the type {kind!r}"
        elif kind == "text" and not (isinstance(part.get("text"), str) and part["text"].strip()):
            yield "a blank text"
        elif kind == "image_url" and not part["image_url"]["url"].startswith(("data:image/", "https://")):
            yield "a picture without address"
        elif kind == "input_audio" and part["input_audio"]["format"] not in {"wav", "mp3"}:
            yield "sound of an unknown format"
        elif kind == "file" and not (part["file"].get("filename") and part["file"].get("file_data")):
            yield "a file without name or data"


def _in_assistant(message: dict[str, Any]) -> Iterator[str]:
    calls = message.get("tool_calls")
    content = message.get("content")
    if content is None:
        if not calls:
            yield "an assistant who says nothing and calls nothing"
    elif not isinstance(content, str) or not content.strip():
        yield "an assistant whose words are no text"
    if calls is None:
        return
    if not isinstance(calls, list) or not calls:
        yield "an empty list of calls"
        return
    ids = [call.get("id") for call in calls]
    if len(set(ids)) != len(ids):
        yield "two calls with one id"
    for call in calls:
        yield from _in_call(call)


def _in_call(call: dict[str, Any]) -> Iterator[str]:
    call_id = call.get("id")
    if not isinstance(call_id, str) or not 0 < len(call_id) <= _ID_CHARACTERS_MAX:
        yield f"a call with the id {call_id!r}"
    if call.get("type") != "function":
        yield "a call that is no function"
    function = call.get("function", {})
    if not function.get("name"):
        yield "a call without name"
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        yield "arguments that are no text"
        return
    try:
        if not isinstance(json.loads(arguments), dict):
            yield "arguments that are no object"
    except ValueError:
        yield "arguments that are no JSON"


def _in_order(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Results stand directly behind their calls: all of them, and no others."""
    owed: list[str] = []
    for place, message in enumerate(messages):
        if message.get("role") == "tool":
            if message.get("tool_call_id") in owed:
                owed.remove(message["tool_call_id"])
            else:
                yield f"message {place}: a result of no call"
            continue
        if owed:
            yield f"message {place}: comes before the results of {owed}"
        owed = [call.get("id") for call in message.get("tool_calls") or []]
    if owed:
        yield f"no results of {owed}"


def _in_tools(body: dict[str, Any]) -> Iterator[str]:
    tools = body.get("tools")
    if tools is None:
        if "tool_choice" in body or "parallel_tool_calls" in body:
            yield "settings for tools that are not there"
        return
    if not tools:
        yield "an empty list of tools"
    # What the server runs itself has a type of its own, and no name.
    functions = [tool for tool in tools if not tool["type"].startswith("openrouter:")]
    for tool in tools:
        if tool not in functions:
            yield from _in_server_tool(tool)
    names = [tool["function"]["name"] for tool in functions]
    if len(set(names)) != len(names):
        yield "two tools with one name"
    for tool in functions:
        parameters = tool["function"].get("parameters", {})
        if parameters.get("type") != "object" or not isinstance(parameters.get("properties"), dict):
            yield "a tool that takes no object"
        if not set(parameters.get("required", [])) <= set(parameters.get("properties", {})):
            yield "a tool that requires what it does not know"


# OpenRouter's web search, as its documentation has it.
_SEARCH_PARAMETERS = {
    "search_context_size": str,
    "allowed_domains": list,
    "excluded_domains": list,
    "max_results": int,
    "max_total_results": int,
    "user_location": dict,
}


def _in_server_tool(tool: dict[str, Any]) -> Iterator[str]:
    if tool["type"] != "openrouter:web_search" or not set(tool) <= {"type", "parameters"}:
        yield f"a tool of the server that there is not: {tool}"
    for name, value in tool.get("parameters", {}).items():
        if not isinstance(value, _SEARCH_PARAMETERS.get(name, ())):
            yield f"a web search with {name}={value!r}"
