"""What Gemini refuses, as a checker of our own: written from its rules, not from our encoder."""

import re
from itertools import pairwise
from typing import Any

_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$")
_KINDS = (
    "text",
    "inlineData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
_NOT_FOR = {
    "user": ("functionCall", "thoughtSignature", "thought"),
    "model": ("functionResponse", "inlineData"),
}
_LEVELS = {"minimal", "low", "medium", "high"}


def problems(body: dict[str, Any], *, signed: bool = True, vertex: bool = False) -> list[str]:
    """Why this request would be refused; `signed`: by a model that insists on thought signatures."""
    contents = body.get("contents") or []
    found: list[str] = []
    if not contents or contents[0].get("role") != "user":
        found.append("the conversation does not begin with the user")
    for one, other in pairwise(contents):
        if one.get("role") == other.get("role"):
            found.append(f"two turns of {one.get('role')} in a row")
    for place, content in enumerate(contents):
        found += [f"turn {place}: {each}" for each in _turn(content, vertex=vertex)]
        if content.get("role") == "model":
            following = contents[place + 1] if place + 1 < len(contents) else {"parts": []}
            found += [f"turn {place}: {each}" for each in _answered(content, following)]
            if signed:
                found += [f"turn {place}: {each}" for each in _signatures(content)]
        elif place == 0 and any("functionResponse" in part for part in content.get("parts", ())):
            found.append(f"turn {place}: a response without a call")
    return found + _settings(body)


def _turn(content: dict[str, Any], *, vertex: bool) -> list[str]:
    found: list[str] = []
    role, parts = content.get("role"), content.get("parts") or []
    if role not in {"user", "model"}:
        found.append(f"unknown role {role}")
    if not parts:
        found.append("no parts")
    for part in parts:
        kinds = [kind for kind in _KINDS if kind in part]
        if len(kinds) != 1:
            found.append(f"a part is {kinds or 'nothing'}")
            continue
        if part.get("text") == "" and "thoughtSignature" not in part:
            found.append("an empty part")
        for kind in ("functionCall", "functionResponse"):
            if kind in part:
                found += _function(kind, part[kind], vertex=vertex)
        found += [f"a {role} has a {kind}" for kind in _NOT_FOR.get(str(role), ()) if kind in part]
    return found


def _function(kind: str, function: dict[str, Any], *, vertex: bool) -> list[str]:
    found = []
    if not _NAME.match(function.get("name", "")):
        found.append(f"{kind} has a bad name")
    if vertex and "id" in function:
        found.append(f"{kind} has an id on Vertex")
    payload = function.get("args" if kind == "functionCall" else "response")
    if not isinstance(payload, dict):
        found.append(f"{kind} holds no object")
    return found


def _answered(content: dict[str, Any], following: dict[str, Any]) -> list[str]:
    calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
    kinds = ["functionResponse" in part for part in following["parts"]]
    responses = [part["functionResponse"] for part in following["parts"] if "functionResponse" in part]
    found = []
    if [(call["name"], call.get("id")) for call in calls] != [
        (response["name"], response.get("id")) for response in responses
    ]:
        found.append("calls and responses do not correspond")
    if True in kinds[len(responses) :]:
        found.append("something stands before or between the responses")
    ids = [call["id"] for call in calls if "id" in call]
    if len(set(ids)) != len(ids):
        found.append("two calls with one id")
    return found


def _signatures(content: dict[str, Any]) -> list[str]:
    first = next((part for part in content["parts"] if "functionCall" in part), None)
    if first is not None and not first.get("thoughtSignature"):
        return ["the first call of the step has no signature"]
    return []


def _settings(body: dict[str, Any]) -> list[str]:
    found = []
    thinking = body.get("generationConfig", {}).get("thinkingConfig", {})
    if "thinkingLevel" in thinking and "thinkingBudget" in thinking:
        found.append("a level and a budget")
    if "thinkingLevel" in thinking and thinking["thinkingLevel"] not in _LEVELS:
        found.append("an unknown level")
    if thinking.get("thinkingBudget") == 0 and thinking.get("includeThoughts"):
        found.append("thoughts to be shown that must not be thought")
    for tool in body.get("tools", ()):
        for declaration in tool.get("functionDeclarations", ()):
            if not _NAME.match(declaration.get("name", "")):
                found.append("a tool has a bad name")
            if declaration.get("parametersJsonSchema", {}).get("type") != "object":
                found.append("a tool takes no object")
    if "cachedContent" in body and {"tools", "toolConfig", "systemInstruction"} & body.keys():
        found.append("cached content beside what it holds itself")
    if "systemInstruction" in body and not all(
        part.get("text") for part in body["systemInstruction"]["parts"]
    ):
        found.append("empty system text")
    return found
