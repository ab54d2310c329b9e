"""Frames of Chat Completions, as far as we read them.

Servers that speak this dialect agree on little. Whatever one of them is known to spell differently is open
here and looked at where it is used; everything else a server may add is skipped without being read.
"""

from typing import TypeAlias

from msgspec import Raw, Struct

from chatd.domain.part import Json

# Some servers count in floats.
Count: TypeAlias = int | float | None


class _Wire(Struct, frozen=True, gc=False):
    pass


class Function(_Wire, frozen=True):
    name: str | None = None
    # Text; some servers give the object itself.
    arguments: str | dict[str, Json] | None = None


class CallPiece(_Wire, frozen=True):
    index: int | None = None
    id: str | None = None
    type: str | None = None
    function: Function | None = None
    extra_content: dict[str, Json] | None = None


class Delta(_Wire, frozen=True):
    """What is new in a chunk; and the whole message, where a server does not stream."""

    content: str | list[Json] | None = None
    reasoning_content: Json = None
    reasoning: Json = None
    reasoning_text: Json = None
    reasoning_details: list[Json] | None = None
    refusal: str | None = None
    tool_calls: list[CallPiece] | None = None
    function_call: Function | None = None
    annotations: list[Json] | None = None
    images: list[Json] | None = None
    audio: Json = None
    extra_content: Json = None


class PromptDetails(_Wire, frozen=True):
    cached_tokens: Count = None
    cache_write_tokens: Count = None
    # Qwen.
    cache_creation_input_tokens: Count = None


class CompletionDetails(_Wire, frozen=True):
    reasoning_tokens: Count = None


class ServerTools(_Wire, frozen=True):
    web_search_requests: Count = None


class Counted(_Wire, frozen=True):
    """Usage."""

    prompt_tokens: Count = None
    completion_tokens: Count = None
    total_tokens: Count = None
    prompt_tokens_details: PromptDetails | None = None
    completion_tokens_details: CompletionDetails | None = None
    # Kimi.
    cached_tokens: Count = None
    # DeepSeek.
    prompt_cache_hit_tokens: Count = None
    # OpenRouter: what it ran itself.
    server_tool_use: ServerTools | None = None
    # OpenRouter: a number with more digits than a float keeps.
    cost: Raw = Raw(b"")


class Choice(_Wire, frozen=True):
    index: int | None = None
    delta: Delta | None = None
    message: Delta | None = None
    finish_reason: str | None = None
    # Kimi counts here.
    usage: Counted | None = None
    # OpenRouter, when only the upstream failed.
    error: Json = None
    # Azure's verdicts; read only when they matter.
    content_filter_results: Raw = Raw(b"")


class Groq(_Wire, frozen=True):
    usage: Counted | None = None
    error: Json = None


class Chunk(_Wire, frozen=True):
    choices: list[Choice] | None = None
    usage: Counted | None = None
    error: Json = None
    id: Json = None
    model: Json = None
    # OpenRouter: who really answered.
    provider: Json = None
    x_groq: Groq | None = None
    # Azure, before everything else.
    prompt_filter_results: Json = None
    # An error without an envelope: {"object": "error", "message": …}, or {"detail": …}.
    object: Json = None
    message: Json = None
    type: Json = None
    code: Json = None
    detail: Json = None
