"""Requests to begin with, as people send them. Tests send each of them."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Example(Struct, frozen=True):
    summary: str
    body: Mapping[str, Any]


def _text(words: str) -> Mapping[str, Any]:
    return {"type": "text", "text": words}


# By the name of the operation and of the example.
EXAMPLES: Mapping[str, Mapping[str, Example]] = {
    "create_chat": {
        "words": Example("A question.", {"content": [_text("Name three planets.")]}),
        "client_tool": Example(
            "With a tool that the caller runs.",
            {
                "content": [_text("What is the weather in Graz?")],
                "client_tools": [
                    {
                        "name": "weather",
                        "description": "The weather of a place.",
                        "input_schema": {
                            "type": "object",
                            "properties": {"place": {"type": "string"}},
                            "required": ["place"],
                        },
                    }
                ],
                "key": "order-17",
            },
        ),
    },
    "send_message": {
        "words": Example("Another question.", {"content": [_text("And their moons?")]}),
        "steer": Example(
            "To an agent that is busy, without stopping it.",
            {"content": [_text("Only those with rings.")], "when": "steer"},
        ),
    },
    "edit_message": {"words": Example("Asked anew.", {"content": [_text("Name three moons.")]})},
    "submit_actions": {
        "result": Example(
            "What a tool of the caller came back with.",
            {"results": [{"tool_call_id": "call-1", "output": {"celsius": 21}}]},
        ),
        "approval": Example(
            "A call is allowed, and such calls in this chat.",
            {"approvals": [{"tool_call_id": "call-1", "decision": "allow", "scope": "chat"}]},
        ),
        "answer": Example(
            "A question is answered.", {"answers": [{"tool_call_id": "call-1", "answer": "The red one."}]}
        ),
    },
    "change_chat": {
        "describe": Example(
            "Renamed and pinned.", {"title": "Planets", "labels": {"team": "sky"}, "pin_order": 1}
        )
    },
    "interrupt_turn": {"everything": Example("With the chats that work for this one.", {})},
    "put_grant": {"read": Example("They may read it.", {"role": "reader"})},
    "make_public_link": {
        "snapshot": Example("What is there now, for a day.", {"days": 1}),
        "live": Example(
            "As it goes on, with what tools did.", {"days": 30, "live": True, "include": ["tools", "files"]}
        ),
    },
    "add_own_token": {
        "program": Example(
            "For a program that chats.", {"name": "nightly report", "scopes": ["chats:read", "chats:write"]}
        )
    },
    "add_provider": {
        "compatible": Example(
            "A server that speaks OpenAI's Chat Completions.",
            {
                "type": "openai-compatible",
                "name": "lab",
                "base_url": "https://models.example/v1",
                "api_key": "THE-KEY",
            },
        )
    },
    "add_rule": {
        "tests": Example(
            "Tests may run without being asked.",
            {"verdict": "allow", "tool": "execute", "words": ["make", "test"]},
        )
    },
}


def examples_of(operation: str) -> Mapping[str, Any]:
    """For the content of a request; nothing where there are none."""
    found = EXAMPLES.get(operation)
    if found is None:
        return {}
    return {"examples": {name: {"summary": each.summary, "value": each.body} for name, each in found.items()}}
