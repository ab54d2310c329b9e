"""What Converse refuses, as a checker of our own: written from its rules, not from our encoder."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

_NAME = re.compile(r"^[A-Za-z0-9_-]{1,64}$")
_ID = re.compile(r"^[A-Za-z0-9_.:-]{1,64}$")
_DOCUMENT = re.compile(r"^[A-Za-z0-9()\[\]-]+( [A-Za-z0-9()\[\]-]+)*$")
_KINDS = ("text", "image", "document", "toolUse", "toolResult", "reasoningContent", "cachePoint")
_IMAGES = {"png", "jpeg", "gif", "webp"}
_DOCUMENTS = {"pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"}
_NOT_FOR = {"user": ("toolUse", "reasoningContent"), "assistant": ("image", "document", "cachePoint")}


def problems(body: dict[str, Any]) -> list[str]:
    """Why this request would be refused."""
    messages = body.get("messages") or []
    found: list[str] = []
    if not messages or messages[0].get("role") != "user":
        found.append("the conversation does not begin with the user")
    for one, other in pairwise(messages):
        if one.get("role") == other.get("role"):
            found.append(f"two messages of {one.get('role')} in a row")
    for place, message in enumerate(messages):
        before = messages[place - 1] if place else {"content": []}
        following = messages[place + 1] if place + 1 < len(messages) else {"content": []}
        each = _message(message)
        if message.get("role") == "assistant":
            each += _answered(message, following)
        else:
            each += _asked(message, before)
        found += [f"message {place}: {problem}" for problem in each]
    return found + _documents(messages) + _tools(body, messages) + _settings(body)


def _message(message: dict[str, Any]) -> list[str]:
    role, blocks = message.get("role"), message.get("content") or []
    found = [] if blocks else ["no blocks"]
    if role not in {"user", "assistant"}:
        found.append(f"unknown role {role}")
    for block in blocks:
        if len(block) != 1 or next(iter(block)) not in _KINDS:
            found.append(f"a block is {sorted(block)}")
            continue
        found += [f"a {role} has {kind}" for kind in _NOT_FOR.get(str(role), ()) if kind in block]
        found += _block(block)
    kinds = [next(iter(block), "") for block in blocks]
    if "document" in kinds and "text" not in kinds:
        found.append("a document without a word")
    if kinds[:1] == ["cachePoint"]:
        found.append("nothing to cache")
    return found


def _block(block: dict[str, Any]) -> list[str]:
    kind, inner = next(iter(block.items()))
    return _CHECKS[kind](inner) if kind in _CHECKS else []


def _text(text: Any) -> list[str]:
    return [] if isinstance(text, str) and text.strip() else ["an empty text"]


def _file(formats: set[str], file: dict[str, Any]) -> list[str]:
    good = file.get("format") in formats and file.get("source", {}).get("bytes")
    return [] if good else ["a bad file"]


def _use(use: dict[str, Any]) -> list[str]:
    good = _ID.match(use.get("toolUseId", "")) and _NAME.match(use.get("name", ""))
    return [] if good and isinstance(use.get("input"), dict) else ["a bad call"]


def _result(result: dict[str, Any]) -> list[str]:
    content = result.get("content")
    if not content or not _ID.match(result.get("toolUseId", "")):
        return ["a bad result"]
    return [problem for block in content for problem in _block(block)]


def _reasoning(reasoning: dict[str, Any]) -> list[str]:
    good = reasoning.get("reasoningText", {}).get("signature") or reasoning.get("redactedContent")
    return [] if good else ["reasoning that nobody signed"]


_CHECKS: Mapping[str, Callable[[Any], list[str]]] = {
    "text": _text,
    "image": partial(_file, _IMAGES),
    "document": partial(_file, _DOCUMENTS),
    "toolUse": _use,
    "toolResult": _result,
    "reasoningContent": _reasoning,
}


def _uses(message: dict[str, Any], *, server: bool = False) -> list[str]:
    return [
        block["toolUse"]["toolUseId"]
        for block in message["content"]
        if "toolUse" in block and ("type" in block["toolUse"]) is server
    ]


def _results(message: dict[str, Any]) -> list[str]:
    return [block["toolResult"]["toolUseId"] for block in message["content"] if "toolResult" in block]


def _answered(message: dict[str, Any], following: dict[str, Any]) -> list[str]:
    found = []
    if _uses(message) != _results(following):
        found.append("calls and results do not correspond")
    if len(set(_uses(message))) != len(_uses(message)):
        found.append("two calls with one id")
    if _uses(message, server=True) != _results(message):
        found.append("the provider's own calls and results do not correspond")
    return found


def _asked(message: dict[str, Any], before: dict[str, Any]) -> list[str]:
    missing = set(_results(message)) - set(_uses(before))
    return [f"nobody asked for {sorted(missing)}"] if missing else []


def _all_blocks(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        for block in message.get("content") or ():
            yield block
            yield from block.get("toolResult", {}).get("content", ())


def _documents(messages: list[dict[str, Any]]) -> list[str]:
    names = [block["document"].get("name", "") for block in _all_blocks(messages) if "document" in block]
    found = [
        f"a document is called {name!r}" for name in names if not _DOCUMENT.match(name) or len(name) > 200
    ]
    return found if len(set(names)) == len(names) else [*found, "two documents with one name"]


def _tools(body: dict[str, Any], messages: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    specs = [tool["toolSpec"] for tool in body.get("toolConfig", {}).get("tools", ())]
    used = any("toolUse" in block or "toolResult" in block for block in _all_blocks(messages))
    if used and not specs:
        found.append("tools were used and are not explained")
    if "toolConfig" in body and not specs:
        found.append("no tools in toolConfig")
    for spec in specs:
        if not _NAME.match(spec.get("name", "")) or not spec.get("description"):
            found.append("a tool has a bad name or no description")
        if spec.get("inputSchema", {}).get("json", {}).get("type") != "object":
            found.append("a tool takes no object")
    return found


def _settings(body: dict[str, Any]) -> list[str]:
    found = ["empty system text" for block in body.get("system", ()) if block.get("text") == ""]
    config = body.get("inferenceConfig", {})
    if config.keys() - {"maxTokens", "temperature", "topP", "stopSequences"}:
        found.append("an unknown setting")
    if not 0 <= config.get("temperature", 0) <= 1:
        found.append("too hot")
    marks = sum("cachePoint" in block for block in _all_blocks(body.get("messages") or []))
    marks += sum("cachePoint" in block for block in body.get("system", ()))
    return found if marks <= 4 else [*found, "too many cache points"]
