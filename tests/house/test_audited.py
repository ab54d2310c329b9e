"""Whatever changes something is written down, or it is said here why not."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from chatd.api.routes import ROUTES

CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_WORK = "The work of a chat: its history tells it, and who said what."
_OF_CHAT = "Counts for one chat, and is told with it."
_ASKS = "Nothing is changed: it asks, and tells."
_OWN = "Counts for the caller's own chats alone."
_AT_THE_SERVER = "A user's own sign-in at an MCP server; nothing of the deployment."

NOT_RECORDED: Mapping[str, str] = {
    "POST /api/v1/chats/{chat_id}/messages": _WORK,
    "PATCH /api/v1/chats/{chat_id}/messages/{message_id}": _WORK,
    "POST /api/v1/chats/{chat_id}/branches/{branch}/switch": _WORK,
    "POST /api/v1/chats/{chat_id}/messages/{message_id}/restore": _WORK,
    "POST /api/v1/chats/{chat_id}/restore/undo": _WORK,
    "PUT /api/v1/chats/{chat_id}/queue": _WORK,
    "DELETE /api/v1/chats/{chat_id}/queue/{queued_id}": _WORK,
    "POST /api/v1/chats/{chat_id}/queue/{queued_id}/promote": _WORK,
    "POST /api/v1/chats/{chat_id}/interrupt": _WORK,
    "POST /api/v1/chats/{chat_id}/compact": _WORK,
    "POST /api/v1/chats/{chat_id}/title/regenerate": _WORK,
    "POST /api/v1/chats/{chat_id}/title/propose": _ASKS,
    "POST /api/v1/chats/{chat_id}/retry": _WORK,
    "POST /api/v1/chats/{chat_id}/actions": _WORK,
    "POST /api/v1/chats/{chat_id}/rules": _OF_CHAT,
    "PATCH /api/v1/chats/{chat_id}/rules/{rule_id}": _OF_CHAT,
    "DELETE /api/v1/chats/{chat_id}/rules/{rule_id}": _OF_CHAT,
    "PUT /api/v1/chats/{chat_id}/context": _WORK,
    "POST /api/v1/files": "A file counts when a message has it, and goes by itself when none does.",
    "POST /api/v1/models/{model_id}/test": _ASKS,
    "POST /api/v1/mcp-servers/{server_id}/test": _ASKS,
    "POST /api/v1/mcp-servers/{server_id}/oauth2/connect": _AT_THE_SERVER,
    "POST /api/v1/mcp-servers/{server_id}/oauth2/finish": _AT_THE_SERVER,
    "DELETE /api/v1/mcp-servers/{server_id}/oauth2/disconnect": _AT_THE_SERVER,
    "PUT /api/v1/chats/{chat_id}/mark": "What somebody marks for themselves, and nobody else sees.",
    "POST /api/v1/users/me/identities": "Begins; who was joined is recorded when the browser is back.",
    "PATCH /api/v1/users/me/settings": _OWN,
    "POST /api/v1/users/me/skills": _OWN,
    "PATCH /api/v1/users/me/skills/{name}": _OWN,
    "DELETE /api/v1/users/me/skills/{name}": _OWN,
    "POST /api/v1/rules": _OWN,
    "PATCH /api/v1/rules/{rule_id}": _OWN,
    "DELETE /api/v1/rules/{rule_id}": _OWN,
    "PUT /api/v1/workspace/mcp-servers": _OWN,
    "DELETE /api/v1/workspace/mcp-servers": _OWN,
}


def test_every_route_that_changes_something_is_recorded_or_has_a_reason_why_not() -> None:
    undecided = [
        name for name, handler in changing() if not hands_on_who_asks(handler) and name not in NOT_RECORDED
    ]

    assert not undecided, (
        f"Nothing is written down of {undecided}. Hand `asked.by` on to what changes it, and `record` it in "
        "its transaction (ARCHITECTURE.md, where to add what); or say in NOT_RECORDED why not."
    )


def test_no_reason_is_given_for_what_is_recorded_or_does_not_exist() -> None:
    unrecorded = {name for name, handler in changing() if not hands_on_who_asks(handler)}

    assert set(NOT_RECORDED) == unrecorded


def changing() -> Iterator[tuple[str, Any]]:
    for route in ROUTES:
        if route.method in CHANGING:
            yield f"{route.method} {route.path}", route.handler


def hands_on_who_asks(handler: Any) -> bool:
    """Whether it, or a function of its file that it calls, takes `asked.by`."""
    module = inspect.getmodule(handler)
    assert module is not None
    functions, wanted, seen = functions_of(module), [handler.__name__], set[str]()
    while wanted:
        name = wanted.pop()
        if name in seen or name not in functions:
            continue
        seen.add(name)
        for node in ast.walk(functions[name]):
            if isinstance(node, ast.Attribute) and node.attr == "by":
                return True
            if isinstance(node, ast.Name):
                wanted.append(node.id)
    return False


@cache
def functions_of(module: ModuleType) -> Mapping[str, ast.AST]:
    tree = ast.parse(inspect.getsource(module))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
