"""Tools as a server is told of them (pure)."""

from collections.abc import Sequence

from chatd.catalog.models.options import OpenRouterOptions
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Quirks
from chatd.providers.dialects.shared.places import approximate
from chatd.providers.dialects.shared.schemas import openai_schema
from chatd.providers.model import Named, ToolChoice, ToolSpec


def tool_choice(choice: ToolChoice, tools: Sequence[ToolSpec], quirks: Quirks) -> Json:
    if not isinstance(choice, Named):
        return choice
    if quirks.no_named_choice and len(tools) == 1:
        # Where there is only one, to name it is to require it.
        return "required"
    return {"type": "function", "function": {"name": choice.tool}}


def web_search(options: OpenRouterOptions) -> dict[str, Json]:
    """OpenRouter's own, for any model: it searches itself, or has the model's provider do so."""
    parameters = {
        "search_context_size": options.search_context_size,
        "allowed_domains": list(options.allowed_domains) or None,
        "excluded_domains": list(options.blocked_domains) or None,
        "max_results": options.max_results,
        "max_total_results": options.max_total_results,
        "user_location": approximate(options.user_location),
    }
    given = {name: value for name, value in parameters.items() if value is not None}
    return {"type": "openrouter:web_search", **({"parameters": given} if given else {})}


def function_tool(tool: ToolSpec) -> dict[str, Json]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": openai_schema(tool.input_schema),
    }
    return {"type": "function", "function": function}
