"""Answers as servers write them, each a whole stream."""

from collections.abc import Mapping

from tests.providers.dialects.chat.words import DONE, chunk, frame, piece

_USAGE = {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}


def _openai() -> bytes:
    return b"".join(
        [
            chunk(role="assistant", content="", refusal=None),
            chunk(content="Let me "),
            chunk(content="look 🔎."),
            chunk(tool_calls=[piece(0, "", id="call_a", type="function", name="weather")]),
            chunk(tool_calls=[piece(0, '{"city":')]),
            chunk(tool_calls=[piece(1, "", id="call_b", type="function", name="time")]),
            chunk(tool_calls=[piece(0, '"Köln"}')]),
            chunk(tool_calls=[piece(1, '{"zone":"CET"}')]),
            chunk("tool_calls"),
            frame(
                id="chatcmpl-1",
                object="chat.completion.chunk",
                model="m-1",
                choices=[],
                usage={
                    **_USAGE,
                    "prompt_tokens_details": {"cached_tokens": 8, "audio_tokens": 0},
                    "completion_tokens_details": {"reasoning_tokens": 3},
                },
            ),
            DONE,
        ]
    )


def _vllm() -> bytes:
    return b"".join(
        [
            chunk(role="assistant", content=""),
            chunk(reasoning_content="The user "),
            chunk(reasoning_content="wants the weather."),
            chunk(tool_calls=[piece(0, name="weather", id="chatcmpl-tool-1f", type="function")]),
            chunk(tool_calls=[piece(0, ' {"city": ')]),
            chunk(tool_calls=[piece(0, '"Rome"}')]),
            chunk("stop", content="", choice={"stop_reason": None}),
            frame(id="chatcmpl-1", object="chat.completion.chunk", model="m-1", choices=[], usage=_USAGE),
            DONE,
        ]
    )


def _ollama() -> bytes:
    whole = piece(0, '{"path":"a.txt"}', id="call_x1", name="read_file", type="function")
    return b"".join(
        [
            chunk(role="assistant", content="", reasoning="Which file?"),
            chunk(role="assistant", content="", reasoning=" That one."),
            chunk(role="assistant", content="", tool_calls=[whole]),
            chunk("tool_calls", role="assistant", content=""),
            frame(id="chatcmpl-1", object="chat.completion.chunk", model="m-1", choices=[], usage=_USAGE),
            DONE,
        ]
    )


def openrouter_detail(**fields: object) -> dict[str, object]:
    return {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0, **fields}


def _openrouter() -> bytes:
    def said(finish: str | None = None, **delta: object) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "native_finish_reason": finish}
        return frame(id="gen-1", provider="Anthropic", model="anthropic/claude", choices=[choice])

    return b"".join(
        [
            b": OPENROUTER PROCESSING\n\n",
            said(
                role="assistant", content="", reasoning="I ", reasoning_details=[openrouter_detail(text="I ")]
            ),
            said(
                role="assistant",
                content="",
                reasoning="see",
                reasoning_details=[openrouter_detail(text="see")],
            ),
            said(role="assistant", content="Looking."),
            said(tool_calls=[piece(0, "", id="toolu_1", type="function", name="look")]),
            said(tool_calls=[piece(0, '{"at":"sky"}')]),
            said(content="", reasoning=None, reasoning_details=[openrouter_detail(signature="c2ln")]),
            said("tool_calls", content=""),
            frame(
                id="gen-1",
                provider="Anthropic",
                model="anthropic/claude",
                choices=[{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
                usage={
                    **_USAGE,
                    "cost": 0.00014235,
                    "is_byok": False,
                    "prompt_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 10},
                    "cost_details": {"upstream_inference_cost": None},
                },
            ),
            DONE,
        ]
    )


def _deepseek() -> bytes:
    return b"".join(
        [
            chunk(role="assistant", content=None, reasoning_content=""),
            chunk(content=None, reasoning_content="Hm"),
            chunk(content=None, reasoning_content="m."),
            chunk(content="Four", reasoning_content=None),
            chunk(content=".", reasoning_content=None),
            frame(
                id="chatcmpl-1",
                model="m-1",
                choices=[{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}],
                usage={**_USAGE, "prompt_cache_hit_tokens": 16, "prompt_cache_miss_tokens": 4},
            ),
            DONE,
        ]
    )


def _xai() -> bytes:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 4,
        "total_tokens": 114,
        "completion_tokens_details": {"reasoning_tokens": 100},
    }
    return b"".join(
        [
            chunk(role="assistant", reasoning_content="Adding."),
            chunk(role="assistant", content="It is "),
            chunk("stop", content="4."),
            frame(id="chatcmpl-1", model="m-1", choices=[], usage=usage),
            DONE,
        ]
    )


def _groq() -> bytes:
    return b"".join(
        [
            frame(
                id="chatcmpl-1",
                model="m-1",
                choices=[{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
                x_groq={"id": "req_1"},
            ),
            chunk(reasoning="Short.", channel="analysis"),
            chunk(content="Hello"),
            frame(
                id="chatcmpl-1",
                model="m-1",
                choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}],
                x_groq={"id": "req_1", "usage": {**_USAGE, "queue_time": 0.1}},
            ),
            DONE,
        ]
    )


STREAMS: Mapping[str, bytes] = {
    "OpenAI": _openai(),
    "vLLM": _vllm(),
    "Ollama": _ollama(),
    "OpenRouter": _openrouter(),
    "DeepSeek": _deepseek(),
    "xAI": _xai(),
    "Groq": _groq(),
}
# What each of them gets back of a model's thoughts.
FIELDS: Mapping[str, str] = {
    "OpenAI": "none",
    "vLLM": "same",
    "Ollama": "reasoning",
    "OpenRouter": "reasoning_details",
    "DeepSeek": "reasoning_content",
    "xAI": "none",
    "Groq": "none",
}
