"""What Google ran by itself while it answered (pure).

It goes back exactly as it came, so the whole part stays with the call and with its result.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from chatd.domain.part import Json
from chatd.providers.dialects.gemini.frames import Part

CODE_TOOL = "code_execution"
# Called as other providers call it; what is not here is called as Google does, in small letters.
_NAMES: Mapping[str, str] = {"GOOGLE_SEARCH_WEB": "web_search"}
_SUCCESS: Final = (None, "OUTCOME_OK")


class ServerCall(Struct, frozen=True):
    id: Json
    tool: str
    args: Json
    internal: Json


class ServerResult(Struct, frozen=True):
    id: Json
    tool: str
    result: Json
    internal: Json
    is_error: bool = False


def server_tool(part: Part) -> ServerCall | ServerResult | None:
    """The call or the result that this part is, if it is one."""
    if (code := part.executable_code) is not None:
        args = {key: value for key, value in code.items() if key != "id"}
        return ServerCall(code.get("id"), CODE_TOOL, args, _as_it_came("executableCode", code, part))
    if (call := part.tool_call) is not None:
        args = call.get("args") or {}
        return ServerCall(call.get("id"), _tool(call), args, _as_it_came("toolCall", call, part))
    if (ran := part.code_execution_result) is not None:
        failed = ran.get("outcome") not in _SUCCESS
        internal = _as_it_came("codeExecutionResult", ran, part)
        return ServerResult(ran.get("id"), CODE_TOOL, ran.get("output") or "", internal, failed)
    if (answer := part.tool_response) is not None:
        internal = _as_it_came("toolResponse", answer, part)
        return ServerResult(answer.get("id"), _tool(answer), answer.get("response"), internal)
    return None


def _tool(body: dict[str, Json]) -> str:
    type_ = str(body.get("toolType") or "tool")
    return _NAMES.get(type_, type_.lower())


def _as_it_came(kind: str, body: dict[str, Json], part: Part) -> Json:
    whole: dict[str, Json] = {kind: body}
    if part.thought_signature is not None:
        whole["thoughtSignature"] = part.thought_signature
    return {"part": whole}
