"""The request around the items: what an administrator set, what this call asks for, and the tools (pure)."""

from collections.abc import Sequence

from msgspec import Struct

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers import failures
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.responses.options import (
    include,
    log_probabilities,
    options_of,
    sampling,
    stores,
    warn_of_the_rest,
)
from chatd.providers.dialects.responses.thinking import reasoning_fields, reasons_always, reasons_now
from chatd.providers.dialects.responses.tools import write_tools
from chatd.providers.dialects.shared.tiers import service_tier

# Under these names in our options and on the wire, and there is nothing to decide.
_PASSED_ON = (
    "instructions",
    "max_tool_calls",
    "metadata",
    "prompt_cache_key",
    "safety_identifier",
    "user",
)


# Items that the provider has already, when the conversation goes on after an answer that it kept.
_HISTORY = frozenset({"function_call", "computer_call", "reasoning", "item_reference"})


def write_body(items: bytes, head: Head, target: Target) -> Body:
    """Raises ProviderError when the items do not fit what the conversation goes on from."""
    _check_chain(items, head, target)
    warnings: list[str] = []
    fields = _fields(head, target, warnings)
    system = b""
    if stores(target) and head.system:
        # Not part of what the provider keeps: a change is seen in an old chat too, and nothing is said twice.
        fields["instructions"] = "\n\n".join((*head.system, *filter(None, [fields.get("instructions")])))
    else:
        system = _system(head.system, target, warnings)
    history = b",".join(part for part in (system, items) if part)
    # The items stand first, so that requests of one chat have a long beginning in common.
    whole = b'{"input":[' + history + b"]," + codec.encode(fields)[1:]
    return Body(whole, warnings=tuple(warnings))


def system_role(target: Target) -> str | None:
    """The role of system texts; None: the model takes none."""
    role = target.abilities.system
    if role == "none":
        return None
    if role == "merged":
        return "user"
    return "developer" if reasons_always(target) else role


class _Item(Struct):
    type: str = ""
    role: str = ""


_items = codec.Decoder(list[_Item])


def _check_chain(items: bytes, head: Head, target: Target) -> None:
    if not head.previous_response:
        if items.startswith(b'{"type":"function_call_output"'):
            raise failures.unsendable("the conversation begins with the output of a call")
        return
    if not stores(target):
        raise failures.unsendable("an answer can only be continued where answers are stored")
    # Only what is new is here, so this is little to read.
    for item in _items.decode(b"[" + items + b"]"):
        if item.type in _HISTORY or item.role == "assistant":
            raise failures.unsendable("the conversation goes on from a stored answer, and repeats older ones")


def _system(texts: Sequence[str], target: Target, warnings: list[str]) -> bytes:
    role = system_role(target)
    if texts and role is None:
        warnings.append("This model takes no system text; it was left out.")
        return b""
    return b",".join(codec.encode({"type": "message", "role": role, "content": text}) for text in texts)


def _text(head: Head, verbosity: str | None) -> dict[str, Json]:
    fields: dict[str, Json] = {"verbosity": verbosity} if verbosity else {}
    if (wanted := head.response_format) is not None:
        schema = {"name": wanted.name, "schema": wanted.schema} if wanted.type == "json_schema" else {}
        fields["format"] = {"type": wanted.type, **schema}
    return fields


def _fields(head: Head, target: Target, warnings: list[str]) -> dict[str, Json]:
    """Everything but the input. What is not set is not there."""
    options = options_of(target)
    reasons = reasons_now(head, target)
    top_logprobs = log_probabilities(target, warnings, reasons=reasons)
    fields: dict[str, Json] = {
        "model": target.model,
        "stream": True,
        "store": stores(target),
        "include": include(target, top_logprobs, warnings, reasons=reasons),
        "previous_response_id": head.previous_response,
        "max_output_tokens": (
            head.max_output_tokens or target.options.max_output_tokens or options.max_completion_tokens
        ),
        "reasoning": reasoning_fields(head.effort, target, warnings, reasons=reasons),
        "text": _text(head, options.text_verbosity),
        "service_tier": service_tier(options.service_tier, target, warnings),
        "top_logprobs": top_logprobs,
        **sampling(target, warnings, reasons=reasons),
        **write_tools(head, target, warnings),
        **{name: getattr(options, name) for name in _PASSED_ON},
    }
    warn_of_the_rest(target, warnings)
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}
