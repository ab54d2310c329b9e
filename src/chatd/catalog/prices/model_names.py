"""What a model is called by itself, under all the names that gateways and clouds give it (pure)."""

import re
from collections.abc import Iterator

# The maker, or the way to it; where it may be computed; and the maker once more, as Bedrock has it.
_BEFORE = re.compile(r"^(?:[\w.~@:-]+/)*(?:(?:global|us-gov|[a-z]{2}|apac)\.)?(?:anthropic\.|openai\.)?")
# How it is served: `:free`, `:thinking`, or the version of a cloud.
_AFTER = re.compile(r"(?:-v\d+)?(?:[:@][\w.-]*)?$")
_DATE = re.compile(r"-(?:\d{8}|\d{4}-\d\d-\d\d)$")
# Some write the generation before the size, and a hyphen instead of a dot.
_CLAUDE = re.compile(r"^claude-([4-9])([-.]\d)?-(opus|sonnet|haiku)(?=-|$)")
_GPT = re.compile(r"^gpt-(\d)-(\d)(?=-|$)")


def own_name(model: str) -> str:
    """The name that its maker would use, as far as one can tell."""
    name = _AFTER.sub("", _BEFORE.sub("", model.lower(), count=1), count=1)
    return _GPT.sub(r"gpt-\1.\2", _CLAUDE.sub(r"claude-\3-\1\2", name))


def spellings(model: str) -> Iterator[str]:
    """As it is written, as its maker writes it, and without the day that it was made on."""
    name = own_name(model)
    yield from dict.fromkeys((model.lower(), name, _DATE.sub("", name)))
