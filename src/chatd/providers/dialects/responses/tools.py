"""Tools as the model is told of them: ours, and the web search of the provider (pure)."""

from chatd.catalog.models.options import OpenAIOptions
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.responses.options import options_of
from chatd.providers.dialects.responses.schemas import function_tool
from chatd.providers.dialects.shared.places import approximate
from chatd.providers.model import Named


def write_tools(head: Head, target: Target, warnings: list[str]) -> dict[str, Json]:
    options = options_of(target)
    strict = options.strict_json_schema or False
    tools = [function_tool(spec, warnings, strict=strict) for spec in head.tools]
    if options.web_search_enabled and head.provider_tools:
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
    if (location := approximate(options.user_location)) is not None:
        tool["user_location"] = location
    return tool
