"""A strict reader of requests, as the provider is one: what would it refuse?

Written from the specification of the wire, and on purpose without any of the code that writes requests.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Wire = Mapping[str, Any]

MARKS_MAX = 4
PLAIN_ID = re.compile(r"[A-Za-z0-9_-]+")
PLAIN_TITLE = re.compile(r"[^\W_]([^\W_]|[\s()\[\]-])*|[(\[]([^\W_]|[\s()\[\]-])*")
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
ARGUMENT = re.compile(r"[A-Za-z0-9_.-]{1,64}")
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
THOUGHTS = ("thinking", "redacted_thinking")
USER_KINDS = ("text", "image", "document", "tool_result")
SERVER_RESULTS = {
    "web_search": "web_search_tool_result",
    "web_fetch": "web_fetch_tool_result",
    "code_execution": "code_execution_tool_result",
    "bash_code_execution": "bash_code_execution_tool_result",
    "text_editor_code_execution": "text_editor_code_execution_tool_result",
}
REFUSED_SINCE_2026 = ("temperature", "top_p", "top_k")
KNOWN_FIELDS = {
    "model", "max_tokens", "stream", "messages", "system", "tools", "tool_choice", "thinking",
    "output_config", "temperature", "top_p", "top_k", "stop_sequences", "service_tier",
    "metadata", "anthropic_version", "anthropic_beta",
}  # fmt: skip


def problems(body: Wire, version: str = "2026-10-21") -> list[str]:
    """Everything that is wrong with this request; empty when it may be sent."""
    return [
        *_fields(body, version),
        *_thinking(body),
        *_turn_begins_with_thoughts(body),
        *_tools(body),
        *_roles(body.get("messages", ())),
        *(found for at, message in enumerate(body.get("messages", ())) for found in _message(at, message)),
        *_pairs(body.get("messages", ())),
        *_marks(body),
    ]


def _fields(body: Wire, version: str) -> Iterator[str]:
    for name in sorted(set(body) - KNOWN_FIELDS):
        yield f"unknown field {name}"
    if version == "2026-10-21":
        yield from (f"{name} is refused under {version}" for name in REFUSED_SINCE_2026 if name in body)
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens is missing"
    for block in body.get("system", ()):
        if block.get("type") != "text" or not block.get("text", "").strip():
            yield "the system says something other than text"


def _thinking(body: Wire) -> Iterator[str]:
    thinking = body.get("thinking", {})
    if (
        thinking.get("type") == "enabled"
        and not 1024 <= thinking.get("budget_tokens", 0) < body["max_tokens"]
    ):
        yield "the thinking budget does not fit below max_tokens"
    if thinking.get("type") in {"enabled", "adaptive"}:
        yield from (f"{name} together with thinking" for name in REFUSED_SINCE_2026 if name in body)
        if body.get("tool_choice", {}).get("type") in {"any", "tool"}:
            yield "a forced tool together with thinking"


def _turn_begins_with_thoughts(body: Wire) -> Iterator[str]:
    """Where it thinks by a budget, what it has said since the user last did must begin with thoughts."""
    first: Wire | None = None
    for message in reversed(body.get("messages", ())):
        if message["role"] == "assistant":
            first = message
        elif not _has_results(message):
            break
    thinks = body.get("thinking", {}).get("type") == "enabled"
    if thinks and first is not None and first["content"][0]["type"] not in THOUGHTS:
        yield "the turn does not begin with thoughts"


def _tools(body: Wire) -> Iterator[str]:
    names = [tool.get("name", "") for tool in body.get("tools", ())]
    if len(set(names)) < len(names):
        yield "two tools have one name"
    if "tool_choice" in body and not names:
        yield "tool_choice without tools"
    for tool in body.get("tools", ()):
        if not TOOL_NAME.fullmatch(tool.get("name", "")):
            yield f"tool name {tool.get('name')!r}"
        if "type" not in tool:
            yield from (f"the schema of {tool.get('name')} {found}" for found in _schema(tool))
        if "allowed_domains" in tool and "blocked_domains" in tool:
            yield "allowed and blocked domains together"


def _schema(tool: Wire) -> Iterator[str]:
    schema = tool.get("input_schema", {})
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        yield "is no object"
    if {"oneOf", "allOf", "anyOf"} & set(schema):
        yield "has alternatives at its top"
    if not all(ARGUMENT.fullmatch(name) for name in schema.get("properties") or {}):
        yield "names an argument as none may be named"
    if schema.get("required") == []:
        yield "requires nothing, in words"


def _roles(messages: Sequence[Wire]) -> Iterator[str]:
    if not messages:
        yield "no messages"
    elif messages[0].get("role") != "user":
        yield "the first message is not the user's"
    for at, (before, after) in enumerate(itertools.pairwise(messages), 1):
        signed = any(
            block.get("type") in THOUGHTS for message in (before, after) for block in message["content"]
        )
        if before["role"] == after["role"] and not (signed and after["role"] == "assistant"):
            yield f"message {at}: the same role twice"


def _message(at: int, message: Wire) -> Iterator[str]:
    content = message.get("content")
    role = message.get("role")
    if role not in {"user", "assistant"}:
        yield f"message {at}: role {role}"
    if not content:
        yield f"message {at}: no content"
        return
    check = _user_block if role == "user" else _assistant_block
    for block in content:
        yield from (f"message {at}: {found}" for found in check(block))
    if role == "assistant":
        if content[-1]["type"] in THOUGHTS:
            yield f"message {at}: ends with thoughts"
    else:
        results = [block["type"] == "tool_result" for block in content]
        if results != sorted(results, reverse=True):
            yield f"message {at}: results behind other blocks"


def _user_block(block: Wire) -> Iterator[str]:
    kind = block.get("type")
    if kind not in USER_KINDS:
        yield f"{kind} said by the user"
    elif kind == "tool_result":
        yield from _result_block(block)
    else:
        yield from _plain_block(block)
    if block.get("citations"):
        yield "the user cites"


def _result_block(block: Wire) -> Iterator[str]:
    if not PLAIN_ID.fullmatch(block.get("tool_use_id", "")):
        yield f"id {block.get('tool_use_id')!r}"
    if not block.get("content"):
        yield "an empty result"
    for inner in block.get("content", ()):
        yield from _plain_block(inner)
        if block.get("is_error") and inner.get("type") != "text":
            yield "an error that is not only text"


def _plain_block(block: Wire) -> Iterator[str]:
    kind, source = block.get("type"), block.get("source", {})
    if kind == "text" and not block.get("text", "").strip():
        yield "empty text"
    if kind == "image" and source.get("media_type") not in IMAGE_TYPES:
        yield f"an image of type {source.get('media_type')}"
    if kind == "document" and not PLAIN_TITLE.fullmatch(block.get("title", "")):
        yield f"title {block.get('title')!r}"
    if kind in {"image", "document"} and not source.get("data"):
        yield f"an empty {kind}"
    if kind not in {"text", "image", "document"}:
        yield f"{kind} where only text, images and documents may be"


def _assistant_block(block: Wire) -> Iterator[str]:
    kind = block.get("type", "")
    if kind == "text":
        yield from _plain_block(block)
        for citation in block.get("citations", ()):
            if citation.get("type") == "web_search_result_location" and not citation.get("encrypted_index"):
                yield "a citation without its index"
    elif kind == "thinking":
        if not block.get("signature") or not isinstance(block.get("thinking"), str):
            yield "thoughts without a signature"
    elif kind == "redacted_thinking":
        if not block.get("data"):
            yield "redacted thoughts without data"
    elif kind in {"tool_use", "server_tool_use"}:
        yield from _call_block(block)
    elif kind not in SERVER_RESULTS.values():
        yield f"{kind} said by the model"


def _call_block(block: Wire) -> Iterator[str]:
    if not PLAIN_ID.fullmatch(block.get("id", "")):
        yield f"id {block.get('id')!r}"
    if not isinstance(block.get("input"), dict):
        yield "arguments that are no object"
    if block["type"] == "server_tool_use" and block.get("name") not in SERVER_RESULTS:
        yield f"server tool {block.get('name')}"


def _pairs(messages: Sequence[Wire]) -> Iterator[str]:
    """Calls are answered by the next message and nothing else is; server tools within their own message."""
    seen: set[str] = set()
    for at, message in enumerate(messages):
        calls = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        if message["role"] == "assistant":
            answer = messages[at + 1]["content"] if at + 1 < len(messages) else []
            results = [block["tool_use_id"] for block in answer if block["type"] == "tool_result"]
            if calls != results:
                yield f"message {at}: calls {calls} are answered by {results}"
            if seen & set(calls) or len(set(calls)) < len(calls):
                yield f"message {at}: an id is used twice"
            seen |= set(calls)
            yield from (f"message {at}: {found}" for found in _server_pairs(message["content"]))
        elif (at == 0 or messages[at - 1]["role"] != "assistant") and _has_results(message):
            yield f"message {at}: results without calls"


def _has_results(message: Wire) -> bool:
    return any(block["type"] == "tool_result" for block in message["content"])


def _server_pairs(content: Sequence[Wire]) -> Iterator[str]:
    waiting: dict[str, str] = {}
    done: set[str] = set()
    for block in content:
        if block["type"] == "server_tool_use":
            if block["id"] in waiting or block["id"] in done:
                yield f"server call {block['id']} twice"
            waiting[block["id"]] = block["name"]
        elif block["type"] in SERVER_RESULTS.values():
            tool = waiting.pop(block["tool_use_id"], None)
            done.add(block["tool_use_id"])
            if tool is None:
                yield f"server result {block['tool_use_id']} without a call before it"
            elif SERVER_RESULTS.get(tool) != block["type"]:
                yield f"{block['type']} answers {tool}"
    yield from (f"server call {name} without a result" for name in waiting)


def _marks(body: Wire) -> Iterator[str]:
    marked = [block for block in _all_blocks(body) if "cache_control" in block]
    if len(marked) > MARKS_MAX:
        yield f"{len(marked)} cache marks"
    if any(block.get("type") in THOUGHTS for block in marked):
        yield "a cache mark on thoughts"
    if any(block.get("type") == "text" and not block.get("text") for block in marked):
        yield "a cache mark on empty text"
    lifetimes = [block["cache_control"].get("ttl", "5m") for block in marked]
    if lifetimes != sorted(lifetimes):
        yield "a longer cache mark behind a shorter one"


def _all_blocks(body: Wire) -> Iterator[Wire]:
    """In the order in which the provider reads them."""
    yield from body.get("tools", ())
    yield from body.get("system", ())
    for message in body.get("messages", ()):
        yield from message["content"]
