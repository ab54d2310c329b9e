"""Who does what differently: the table of servers that speak Chat Completions (pure).

Rows are tried from top to bottom, and a later one that fits adds to what the earlier ones say. What an
administrator has set for a provider comes last.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from chatd.catalog.models.rows import ProviderType
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Quirks

Says: TypeAlias = Mapping[str, Any]

_OPENAI: Says = {"effort_style": "reasoning_effort", "token_field": "max_completion_tokens"}
_PLAIN: Says = {"reasoning_field": "same", "effort_style": "reasoning_effort", "no_strict": True}
_OPENROUTER: Says = {
    "reasoning_field": "reasoning_details",
    "effort_style": "reasoning.effort",
    "usage_include": True,
    "top_k": True,
}
_VERCEL: Says = {"reasoning_field": "reasoning_details", "effort_style": "reasoning.effort"}
_THINKING: Says = {"reasoning_field": "reasoning_content", "effort_style": "thinking.type"}
_ALWAYS_THINKING: Says = {**_THINKING, "reasoning_required": True}
# Its tokenizer checks ids and the order of roles, on every server.
_MISTRAL: Says = {"tool_id_style": "alnum9", "no_user_after_tool": True}

TYPES: Mapping[ProviderType, Says] = {
    ProviderType.OPENAI: _OPENAI,
    ProviderType.AZURE: _OPENAI,
    ProviderType.OPENAI_COMPATIBLE: _PLAIN,
    ProviderType.OPENROUTER: _OPENROUTER,
    ProviderType.VERCEL: _VERCEL,
    ProviderType.OLLAMA: {
        "reasoning_field": "reasoning",
        "effort_style": "reasoning_effort",
        "efforts": (Effort.NONE, Effort.LOW, Effort.MEDIUM, Effort.HIGH),
        "top_k": True,
        "no_named_choice": True,
        "no_parallel_flag": True,
        "no_strict": True,
    },
}

# Known addresses: the host, or a domain that it is in.
HOSTS: Mapping[str, Says] = {
    "api.openai.com": {**_OPENAI, "reasoning_field": "none", "no_strict": False},
    "openai.azure.com": {**_OPENAI, "reasoning_field": "none", "no_strict": False},
    "openrouter.ai": _OPENROUTER,
    "ai-gateway.vercel.sh": _VERCEL,
    # Its models see nothing, and a picture fails the whole request.
    "api.deepseek.com": {**_ALWAYS_THINKING, "string_content_only": True},
    "api.moonshot.ai": _ALWAYS_THINKING,
    "api.moonshot.cn": _ALWAYS_THINKING,
    "api.kimi.com": _ALWAYS_THINKING,
    "api.z.ai": {**_THINKING, "no_tool_choice": True},
    "open.bigmodel.cn": {**_THINKING, "no_tool_choice": True},
    "dashscope.aliyuncs.com": {
        "reasoning_field": "reasoning_content",
        "effort_style": "none",
        "cache_marks": True,
        "top_k": True,
    },
    "dashscope-intl.aliyuncs.com": {
        "reasoning_field": "reasoning_content",
        "effort_style": "none",
        "cache_marks": True,
        "top_k": True,
    },
    "api.groq.com": {"reasoning_field": "none", "token_field": "max_completion_tokens"},
    "api.x.ai": {
        "reasoning_field": "none",
        "token_field": "max_completion_tokens",
        "usage_outside_reasoning": True,
    },
    # It counts without being asked, and refuses every field that it does not know.
    "api.mistral.ai": {
        **_MISTRAL,
        "reasoning_field": "none",
        "effort_style": "none",
        "no_stream_options": True,
    },
    "generativelanguage.googleapis.com": {"reasoning_field": "none", "gemini_compat": True},
    "aiplatform.googleapis.com": {"reasoning_field": "none", "gemini_compat": True},
}


class _Models(Struct, frozen=True):
    """What models of such names do, at providers of these types."""

    types: frozenset[ProviderType]
    names: re.Pattern[str]
    says: Says


_ANYWHERE = frozenset(TYPES)
_OWN_SERVERS = frozenset({ProviderType.OPENAI_COMPATIBLE})

MODELS: Sequence[_Models] = (
    _Models(
        frozenset({ProviderType.OPENAI_COMPATIBLE, ProviderType.OPENROUTER, ProviderType.VERCEL}),
        re.compile(r"mistral|mixtral|ministral|codestral|devstral|magistral|pixtral"),
        _MISTRAL,
    ),
    _Models(
        _OWN_SERVERS,
        re.compile(r"\bkimi"),
        {"reasoning_field": "reasoning_content", "replay_empty_reasoning": True},
    ),
    _Models(_OWN_SERVERS, re.compile(r"\bgemma"), {"system_role": "merged"}),
    # Google serves others, too, who sign nothing.
    _Models(_OWN_SERVERS, re.compile(r"^(?!.*gemini)"), {"gemini_compat": False}),
    _Models(
        frozenset({ProviderType.OPENROUTER}),
        re.compile(r"^(anthropic|qwen)/|^~anthropic/"),
        {"cache_marks": True},
    ),
    _Models(_ANYWHERE, re.compile(r"-search-preview"), {"no_temperature": True}),
    # Both at once they do only in Responses.
    _Models(
        frozenset({ProviderType.OPENAI, ProviderType.AZURE}),
        re.compile(r"^gpt-(5\.[2-9]|[6-9])(?!.*(chat|pro))"),
        {"no_effort_with_tools": True},
    ),
)


def quirks_for(type: ProviderType, base_url: str | None, model: str, overrides: Mapping[str, Json]) -> Quirks:
    """What is known of this model at this address. Raises msgspec.ValidationError for unknown overrides."""
    says: dict[str, Any] = {**TYPES.get(type, {})}
    says |= _of_host(base_url)
    name = model.lower()
    for row in MODELS:
        if type in row.types and row.names.search(name):
            says |= row.says
    return msgspec.convert({**says, **overrides}, Quirks)


def _of_host(base_url: str | None) -> Says:
    host = _host(base_url or "")
    found = (says for known, says in HOSTS.items() if _is_within(host, known))
    return next(found, {})


def _is_within(host: str, known: str) -> bool:
    # Regions of Google come before the name with a hyphen.
    return host == known or host.endswith((f".{known}", f"-{known}"))


def _host(url: str) -> str:
    text = url.strip()
    try:
        return (urlsplit(text if "://" in text else f"//{text}").hostname or "").lower()
    except ValueError:
        return ""
