"""Tools as the model is told of them: ours, and the ones that the provider runs itself (pure)."""

import re
from collections.abc import Mapping, Sequence

from chatd.catalog.models.options import AnthropicOptions
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.anthropic.blocks import Block, Warnings
from chatd.providers.dialects.anthropic.cache import mark_last
from chatd.providers.dialects.anthropic.routes import ROUTES
from chatd.providers.dialects.shared.places import approximate
from chatd.providers.dialects.shared.schemas import object_schema, without_alternatives
from chatd.providers.model import Named, ToolChoice, ToolSpec

WEB_SEARCH = "web_search"
WEB_SEARCH_TYPE = "web_search_20250305"

# One argument of another name, and the whole request is refused.
_ARGUMENT = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def write_tools(head: Head, target: Target, warnings: Warnings, *, thinks: bool) -> Mapping[str, Json]:
    """The fields of the request that have to do with tools; none without any."""
    options = target.options.anthropic or AnthropicOptions()
    blocks = [_ours(tool, warnings) for tool in head.tools]
    if options.web_search_enabled and head.provider_tools:
        blocks += _web_search(head.tools, options, target, warnings)
    if not blocks:
        return {}
    mark_last(blocks, options.cache)
    fields: dict[str, Json] = {"tools": blocks}
    choice = _choice(head.tool_choice, warnings, thinks=thinks)
    if options.disable_parallel_tool_use and choice != {"type": "none"}:
        if ROUTES[target.route].single_calls:
            choice = {**(choice or {"type": "auto"}), "disable_parallel_tool_use": True}
        else:
            warnings.append("The wish for one tool call at a time was left out: it is unknown on this route.")
    if choice is not None:
        fields["tool_choice"] = choice
    return fields


def _choice(choice: ToolChoice, warnings: Warnings, *, thinks: bool) -> Block | None:
    if choice is None:
        return None
    if thinks and choice not in ("auto", "none"):
        warnings.append(
            "The model was left to choose its tools itself: a tool cannot be required while it thinks."
        )
        return {"type": "auto"}
    if isinstance(choice, Named):
        return {"type": "tool", "name": choice.tool}
    return {"type": "any" if choice == "required" else choice}


def _ours(tool: ToolSpec, warnings: Warnings) -> Block:
    block: Block = {"name": tool.name}
    if tool.description.strip():
        block["description"] = tool.description
    block["input_schema"] = _schema(tool, warnings)
    return block


def _schema(tool: ToolSpec, warnings: Warnings) -> Block:
    schema = object_schema(without_alternatives(tool.input_schema))
    allowed = {name: about for name, about in schema["properties"].items() if _ARGUMENT.fullmatch(name)}
    if len(allowed) == len(schema["properties"]):
        return schema
    warnings.append(f"Arguments of {tool.name} were left out: this provider does not take their names.")
    return object_schema(schema | {"properties": allowed})


def _web_search(
    tools: Sequence[ToolSpec], options: AnthropicOptions, target: Target, warnings: Warnings
) -> list[Block]:
    if not (ROUTES[target.route].provider_tools and target.abilities.provider_tools):
        warnings.append("Web search was left out: this model cannot use tools of its provider here.")
        return []
    if any(tool.name == WEB_SEARCH for tool in tools):
        warnings.append("The provider's web search was left out: there is another tool of that name.")
        return []
    block: Block = {"type": WEB_SEARCH_TYPE, "name": WEB_SEARCH}
    for field in ("allowed_domains", "blocked_domains"):
        if domains := [domain.strip() for domain in getattr(options, field) if domain.strip()]:
            block[field] = domains
    if options.max_uses is not None:
        block["max_uses"] = options.max_uses
    if (location := approximate(options.user_location)) is not None:
        block["user_location"] = location
    return [block]
