"""How large a prompt was and might have been, as providers put it in words (pure)."""

import re
from collections.abc import Sequence
from functools import cache

# Of any number. No model has a window of more digits, and very long ones cannot be read at all.
_N = r"\d[\d,]{0,14}"
# Each names what it finds: the tokens used, and the most there may be.
_WORDS: Sequence[str] = (
    # Anthropic
    r"prompt is too long: USED tokens > MOST",
    rf"exceed context limit: USED \+ {_N} > MOST",
    # OpenAI, Azure, OpenRouter, DeepSeek, vLLM and servers that copied them
    r"maximum context length (?:is|of) MOST tokens[^{}]{0,200}?(?:in|requested|about) ~?USED",
    # Mistral
    r"prompt contains USED tokens.{0,80}?model with MOST maximum context length",
    # xAI
    r"maximum prompt length is MOST but the request contains USED",
    # Alibaba
    rf"range of input length should be \[{_N}, ?MOST\]",
    # Cloudflare, Groq and other gateways
    r"input (?:is )?too long:? USED input tokens,? limit (?:is )?MOST",
    r"prompt token count of USED exceeds the limit of MOST",
    # Gemini, and the same on Vertex
    r"input token count \(?USED\)? exceeds the maximum (?:number of tokens allowed )?\(?MOST",
    r"input token count is USED but (?:the )?model only supports up to MOST",
    # vLLM, of old
    r"prompt \(length USED\) is longer than the maximum model length of MOST",
    r"maximum model length of MOST",
    # llama.cpp
    r"request \(USED tokens\) exceeds the available context size \(MOST",
    r"maximum context length (?:is|of) MOST",
    r"MOST maximum context length",
)


@cache
def patterns() -> Sequence[re.Pattern[str]]:
    """Made when a prompt was refused: they would take a good part of a start."""
    return tuple(
        re.compile(words.replace("USED", f"(?P<used>{_N})").replace("MOST", f"(?P<most>{_N})"), re.IGNORECASE)
        for words in _WORDS
    )


def context_size(text: str) -> tuple[int | None, int | None]:
    """(used, most), each None when it is not said."""
    for pattern in patterns():
        if found := pattern.search(text):
            groups = found.groupdict()
            return _number(groups.get("used")), _number(groups.get("most"))
    return None, None


def _number(digits: str | None) -> int | None:
    return int(digits.replace(",", "")) if digits else None
