"""A request to Converse around its messages (pure)."""

import re
from typing import Final

from chatd.domain.message import Effort
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.capabilities.target import Abilities, Reasoning, Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.converse.files import with_distinct_names
from chatd.providers.dialects.converse.turns import CACHE_POINT
from chatd.providers.dialects.shared.alternation import Shape, alternating
from chatd.providers.dialects.shared.efforts import CLAUDE_BUDGETS, nearest
from chatd.providers.dialects.shared.schemas import object_schema, without_alternatives
from chatd.providers.model import Named, ToolSpec

# Settings that Converse has no field for; the model's own go into `additional_fields`.
_UNKNOWN: Final = ("top_k", "presence_penalty", "frequency_penalty", "seed")
_TEMPERATURE_MAX = 1.0

# What is left for the answer when thinking would use up everything.
_ANSWER_TOKENS_MIN = 1024

# How calls begin, as `write_turns` writes them.
_CALLS: Final = re.compile(rb'\{"toolUse":\{"toolUseId":"[^"]*","name":"([A-Za-z0-9_-]{1,64})"')


# How messages begin, as `write_turns` writes them.
_SHAPE: Final = Shape(
    user=b'{"role":"user","content":[',
    model=b'{"role":"assistant","content":[',
    opening=b'{"text":"(The conversation begins.)"}',
)


def write_body(items: bytes, head: Head, target: Target) -> Body:
    warnings: list[str] = []
    body: dict[str, Json] = {}
    if system := [text for text in head.system if text.strip()]:
        body["system"] = [{"text": text} for text in system]
        if target.quirks.cache_marks:
            body["system"].append(CACHE_POINT)
    extra = _reasoning(head.effort, target.abilities, warnings)
    specs = [_spec(tool) for tool in head.tools] or _former_tools(items)
    if specs:
        body["toolConfig"] = {"tools": specs, **_choice(head, warnings, thinks="thinking" in extra)}
    if config := _inference(head, target, extra, warnings):
        body["inferenceConfig"] = config
    if target.options.bedrock is not None:
        extra |= target.options.bedrock.additional_fields or {}
    if extra:
        body["additionalModelRequestFields"] = extra
    rest = codec.encode(body)
    items = with_distinct_names(alternating(items, _SHAPE))
    messages = b'{"messages":[' + items + b"]"
    return Body(messages + (b"," + rest[1:] if body else b"}"), warnings=tuple(warnings))


def _choice(head: Head, warnings: list[str], *, thinks: bool) -> dict[str, Json]:
    match head.tool_choice:
        case _ if not head.tools or head.tool_choice is None:
            return {}
        case "required" | Named() if thinks:
            warnings.append("The model was left to choose its tools itself: while it thinks, nobody else can")
            return {"toolChoice": {"auto": {}}}
        case Named(tool=tool):
            return {"toolChoice": {"tool": {"name": tool}}}
        case "none":
            warnings.append("The model may still call tools: Converse cannot forbid it")
            return {}
        case choice:
            return {"toolChoice": {"any" if choice == "required" else "auto": {}}}


def _spec(tool: ToolSpec) -> Json:
    schema = object_schema(without_alternatives(tool.input_schema))
    description = tool.description.strip() or tool.name
    return {"toolSpec": {"name": tool.name, "description": description, "inputSchema": {"json": schema}}}


def _former_tools(items: bytes) -> list[Json]:
    """Tools that were used and are gone. Converse refuses a history whose tools nobody explains."""
    names = dict.fromkeys(name.decode() for name in _CALLS.findall(items))
    description = "Was used earlier in this conversation and cannot be used any more."
    return [_spec(ToolSpec(name=name, description=description, input_schema={})) for name in names]


def _reasoning(effort: Effort | None, abilities: Abilities, warnings: list[str]) -> dict[str, Json]:
    """How hard to think, in the model's own words: Converse has none."""
    if effort is None:
        return {}
    if abilities.reasoning is Reasoning.EFFORT:
        return {"reasoning_effort": nearest(effort, abilities.efforts).value}
    if abilities.reasoning is Reasoning.BUDGET:
        budget = CLAUDE_BUDGETS.get(effort)
        return {} if budget is None else {"thinking": {"type": "enabled", "budget_tokens": budget}}
    if abilities.reasoning is not Reasoning.NONE:
        warnings.append("The reasoning effort was left out: set it among the model's additional fields")
    return {}


def _inference(head: Head, target: Target, extra: dict[str, Json], warnings: list[str]) -> dict[str, Json]:
    options = target.options
    config: dict[str, Json] = {}
    budget = extra["thinking"]["budget_tokens"] if "thinking" in extra else 0
    limit = head.max_output_tokens or options.max_output_tokens
    if limit is not None and budget and limit <= budget:
        limit = budget + _ANSWER_TOKENS_MIN
        warnings.append(f"The output limit was raised to {limit}, above what the model may think")
    if limit is not None:
        config["maxTokens"] = limit
    sampling = {"temperature": options.temperature, "topP": options.top_p}
    for name, value in sampling.items():
        if value is None:
            continue
        if not target.abilities.sampling or budget:
            warnings.append(f"{name} was left out: the model does not take it")
        elif name == "temperature" and value > _TEMPERATURE_MAX:
            config[name] = _TEMPERATURE_MAX
            warnings.append(f"The temperature was lowered to {_TEMPERATURE_MAX}, the highest on Bedrock")
        else:
            config[name] = value
    if stops := [stop for stop in options.stop if stop]:
        config["stopSequences"] = stops
    warnings += [
        f"{name} was left out: Converse does not take it"
        for name in _UNKNOWN
        if getattr(options, name) is not None
    ]
    return config
