"""The request around the items: what an administrator set, what this call asks for, and the tools (pure)."""

from collections.abc import Sequence

from msgspec import Struct

from chatd.catalog.options import OpenAIOptions
from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers import failures
from chatd.providers.capabilities.target import Reasoning, Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.responses.schemas import function_tool
from chatd.providers.dialects.shared.efforts import nearest
from chatd.providers.dialects.shared.tiers import service_tier
from chatd.providers.model import Named

ENCRYPTED_REASONING = "reasoning.encrypted_content"
LOG_PROBABILITIES = "message.output_text.logprobs"
_INCLUDES = frozenset(
    {
        ENCRYPTED_REASONING,
        LOG_PROBABILITIES,
        "file_search_call.results",
        "web_search_call.results",
        "web_search_call.action.sources",
        "message.input_image.image_url",
        "computer_call_output.output.image_url",
        "code_interpreter_call.outputs",
    }
)
LOG_PROBABILITIES_MAX = 20

# Under these names in our options and on the wire, and there is nothing to decide.
_PASSED_ON = (
    "instructions",
    "max_tool_calls",
    "metadata",
    "prompt_cache_key",
    "safety_identifier",
    "user",
)
_NOT_SPOKEN = ("top_k", "presence_penalty", "frequency_penalty", "stop", "seed")
_NOT_SPOKEN_HERE = ("logit_bias", "prediction", "structured_outputs")


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


def stores(target: Target) -> bool:
    """Whether the provider keeps the answers."""
    return _options(target).store or False


def system_role(target: Target) -> str | None:
    """Who says what the system says; None: nobody can."""
    role = target.abilities.system
    if role == "none":
        return None
    if role == "merged":
        return "user"
    return "developer" if _reasons(target) else role


def _options(target: Target) -> OpenAIOptions:
    return target.options.openai or OpenAIOptions()


def _reasons(target: Target) -> bool:
    """By itself, whatever is asked."""
    return target.abilities.reasoning not in (Reasoning.NONE, Reasoning.ASKED)


def _reasons_now(head: Head, target: Target) -> bool:
    return _reasons(target) or (target.abilities.reasoning is Reasoning.ASKED and head.effort is not None)


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


def _fields(head: Head, target: Target, warnings: list[str]) -> dict[str, Json]:
    """Everything but the input. What nobody set is not there."""
    options = _options(target)
    reasons = _reasons_now(head, target)
    log_probabilities = _log_probabilities(target, warnings, reasons=reasons)
    fields: dict[str, Json] = {
        "model": target.model,
        "stream": True,
        "store": stores(target),
        "include": _include(target, log_probabilities, warnings, reasons=reasons),
        "previous_response_id": head.previous_response,
        "max_output_tokens": (
            head.max_output_tokens or target.options.max_output_tokens or options.max_completion_tokens
        ),
        "reasoning": _reasoning(head.effort, target, warnings, reasons=reasons),
        "text": {"verbosity": options.text_verbosity} if options.text_verbosity else None,
        "service_tier": service_tier(options.service_tier, target, warnings),
        "top_logprobs": log_probabilities,
        **_sampling(target, warnings, reasons=reasons),
        **_tools(head, target, warnings),
        **{name: getattr(options, name) for name in _PASSED_ON},
    }
    _warn_of_the_rest(target, warnings)
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _log_probabilities(target: Target, warnings: list[str], *, reasons: bool) -> int | None:
    options = _options(target)
    wanted = options.top_log_probs
    if wanted is None and options.log_probs:
        wanted = LOG_PROBABILITIES_MAX
    if wanted is not None and reasons:
        warnings.append("A model that reasons takes no log_probs; they were left out.")
        return None
    return wanted


def _include(
    target: Target, log_probabilities: int | None, warnings: list[str], *, reasons: bool
) -> list[str]:
    asked = _options(target).include
    warnings.extend(
        f"{name!r} is nothing that could be included; it was left out."
        for name in asked
        if name not in _INCLUDES
    )
    wanted = [name for name in asked if name in _INCLUDES]
    # A model that does not reason has none, and refuses to be asked for it.
    if not stores(target) and reasons:
        wanted.append(ENCRYPTED_REASONING)
    if log_probabilities is not None:
        wanted.append(LOG_PROBABILITIES)
    return list(dict.fromkeys(wanted))


def _reasoning(
    effort: Effort | None, target: Target, warnings: list[str], *, reasons: bool
) -> dict[str, Json]:
    summary = _options(target).reasoning_summary
    if not reasons:
        if effort not in (None, Effort.NONE):
            warnings.append("This model does not reason; reasoning_effort was left out.")
        if summary is not None:
            warnings.append("This model does not reason; reasoning_summary was left out.")
        return {}
    fields = {"effort": effort and nearest(effort, target.abilities.efforts), "summary": summary}
    return {name: value for name, value in fields.items() if value is not None}


def _sampling(target: Target, warnings: list[str], *, reasons: bool) -> dict[str, Json]:
    wanted = {"temperature": target.options.temperature, "top_p": target.options.top_p}
    if target.abilities.sampling and not reasons:
        return wanted
    warnings.extend(
        f"This model takes no {name}; it was left out." for name, value in wanted.items() if value is not None
    )
    return {}


def _tools(head: Head, target: Target, warnings: list[str]) -> dict[str, Json]:
    options = _options(target)
    strict = options.strict_json_schema or False
    tools = [function_tool(spec, warnings, strict=strict) for spec in head.tools]
    if options.web_search_enabled:
        if target.abilities.provider_tools:
            tools.append(_web_search(options))
        else:
            warnings.append("This model has no web search of its own; web_search was left out.")
    if not tools:
        return {}
    choice = head.tool_choice
    return {
        "tools": tools,
        "parallel_tool_calls": options.parallel_tool_calls,
        "tool_choice": {"type": "function", "name": choice.tool} if isinstance(choice, Named) else choice,
    }


def _web_search(options: OpenAIOptions) -> dict[str, Json]:
    tool: dict[str, Json] = {"type": "web_search"}
    if options.search_context_size:
        tool["search_context_size"] = options.search_context_size
    if options.allowed_domains:
        tool["filters"] = {"allowed_domains": list(options.allowed_domains)}
    return tool


def _warn_of_the_rest(target: Target, warnings: list[str]) -> None:
    """What was set, and has no word in this dialect."""
    named: list[tuple[Struct, str]] = [(target.options, name) for name in _NOT_SPOKEN]
    named += [(_options(target), name) for name in _NOT_SPOKEN_HERE]
    warnings.extend(
        f"Responses know no {name}; it was left out."
        for options, name in named
        if getattr(options, name) not in (None, (), {})
    )
