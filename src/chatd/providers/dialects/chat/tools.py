"""Tools as a server is told of them (pure)."""

from collections.abc import Sequence

from chatd.domain.part import Json
from chatd.providers.capabilities.target import Quirks
from chatd.providers.dialects.shared.schemas import openai_schema
from chatd.providers.model import Named, ToolChoice, ToolSpec


def tool_choice(choice: ToolChoice, tools: Sequence[ToolSpec], quirks: Quirks) -> Json:
    if not isinstance(choice, Named):
        return choice
    if quirks.no_named_choice and len(tools) == 1:
        # Where there is only one, to name it is to require it.
        return "required"
    return {"type": "function", "function": {"name": choice.tool}}


def function_tool(tool: ToolSpec) -> dict[str, Json]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": openai_schema(tool.input_schema),
    }
    return {"type": "function", "function": function}
