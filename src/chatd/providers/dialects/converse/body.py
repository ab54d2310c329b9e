"""A request to Converse around its messages (pure)."""

from typing import Final

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.converse.files import with_distinct_names
from chatd.providers.dialects.converse.options import inference_config
from chatd.providers.dialects.converse.thinking import reasoning_fields
from chatd.providers.dialects.converse.tools import former_tools, tool_choice, tool_spec
from chatd.providers.dialects.converse.turns import CACHE_POINT
from chatd.providers.dialects.shared.alternation import Shape, alternating

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
    extra = reasoning_fields(head.effort, target.abilities, warnings)
    specs = [tool_spec(tool) for tool in head.tools] or former_tools(items)
    if specs:
        body["toolConfig"] = {"tools": specs, **tool_choice(head, warnings, thinks="thinking" in extra)}
    if config := inference_config(head, target, extra, warnings):
        body["inferenceConfig"] = config
    if target.options.bedrock is not None:
        extra |= target.options.bedrock.additional_fields or {}
    if extra:
        body["additionalModelRequestFields"] = extra
    rest = codec.encode(body)
    items = with_distinct_names(alternating(items, _SHAPE))
    messages = b'{"messages":[' + items + b"]"
    return Body(messages + (b"," + rest[1:] if body else b"}"), warnings=tuple(warnings))
