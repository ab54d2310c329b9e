"""Turns as the wire's messages: two roles, results first, marked for the prompt cache (pure)."""

from collections.abc import Sequence

from msgspec import Struct

from chatd.catalog.models.options import AnthropicOptions
from chatd.providers import failures
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Written
from chatd.providers.dialects.anthropic.blocks import (
    THINKING_KINDS,
    Block,
    Warnings,
    said_by_model,
    said_to_model,
    text_block,
)
from chatd.providers.dialects.anthropic.cache import mark_last
from chatd.providers.dialects.anthropic.opaque import PAUSED, is_signed
from chatd.providers.dialects.anthropic.sanitize import sanitize
from chatd.providers.request.wire_turn import SaidText, WireTurn

# With one mark on the tools and one on the system's words these make four, which is all there may be.
MARKED_MESSAGES = 2


class _Message(Struct):
    role: str
    content: list[Block]
    # It holds signed thoughts, which are not joined with what other replies said.
    signed: bool = False
    # The provider interrupted itself here, and goes on from here.
    paused: bool = False


def write_turns(turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
    clean = sanitize(turns, newest=newest)
    warnings = list(clean.warnings)
    messages: list[_Message] = []
    for turn in clean.turns:
        message = _by_model(turn, target, warnings) if turn.role == "assistant" else _to_model(turn, warnings)
        if not message.content:
            warnings.append(f"A message ({turn.role}) without anything to send was left out.")
        elif messages and _belong_together(messages[-1], message):
            messages[-1].content += message.content
            messages[-1].paused = message.paused
        else:
            messages.append(message)
    for message in messages:
        # Results come first; the sort is stable, so that everything else stays as it was.
        message.content.sort(key=lambda block: message.role == "user" and block["type"] != "tool_result")
    if newest:
        _check_end(messages, target)
        options = target.options.anthropic or AnthropicOptions()
        for message in messages[-MARKED_MESSAGES:]:
            mark_last(message.content, options.cache)
    items = [{"role": message.role, "content": message.content} for message in messages]
    return Written(items, tuple(dict.fromkeys(warnings)))


def _by_model(turn: WireTurn, target: Target, warnings: Warnings) -> _Message:
    blocks = [block for part in turn.parts for block in said_by_model(part, target, warnings)]
    # A reply must not end with thoughts, nor consist of them.
    while blocks and blocks[-1]["type"] in THINKING_KINDS:
        blocks.pop()
        warnings.append("Reasoning that led to nothing was left out.")
    return _Message(
        "assistant",
        blocks,
        signed=any(is_signed(part) for part in turn.parts),
        paused=isinstance(turn.internal, dict) and bool(turn.internal.get(PAUSED)),
    )


def _to_model(turn: WireTurn, warnings: Warnings) -> _Message:
    if turn.role == "system":
        # There is no such role once the conversation has begun.
        texts = [part.text for part in turn.parts if isinstance(part, SaidText) and part.text.strip()]
        return _Message(
            "user", [text_block(f"<system-message>\n{text}\n</system-message>") for text in texts]
        )
    return _Message("user", [block for part in turn.parts for block in said_to_model(part, warnings)])


def _belong_together(before: _Message, after: _Message) -> bool:
    return before.role == after.role and not before.signed and not after.signed


def _check_end(messages: list[_Message], target: Target) -> None:
    """Raises ProviderError when a model is asked to go on with its own words, and cannot."""
    if (
        messages
        and messages[-1].role == "assistant"
        and not messages[-1].paused
        and not target.abilities.prefill
    ):
        raise failures.unanswerable()
