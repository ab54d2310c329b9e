"""Tools as Converse is told of them (pure)."""

import re
from typing import Final

from chatd.domain.part import Json
from chatd.providers.dialect import Head
from chatd.providers.dialects.shared.schemas import object_schema, without_alternatives
from chatd.providers.model import Named, ToolSpec

# How calls begin, as `write_turns` writes them.
_CALLS: Final = re.compile(rb'\{"toolUse":\{"toolUseId":"[^"]*","name":"([A-Za-z0-9_-]{1,64})"')


def tool_choice(head: Head, warnings: list[str], *, thinks: bool) -> dict[str, Json]:
    match head.tool_choice:
        case _ if not head.tools or head.tool_choice is None:
            return {}
        case "required" | Named() if thinks:
            warnings.append(
                "The model was left to choose its tools itself: a tool cannot be required while it thinks."
            )
            return {"toolChoice": {"auto": {}}}
        case Named(tool=tool):
            return {"toolChoice": {"tool": {"name": tool}}}
        case "none":
            warnings.append("The model may still call tools: Converse cannot forbid it")
            return {}
        case choice:
            return {"toolChoice": {"any" if choice == "required" else "auto": {}}}


def tool_spec(tool: ToolSpec) -> Json:
    schema = object_schema(without_alternatives(tool.input_schema))
    description = tool.description.strip() or tool.name
    return {"toolSpec": {"name": tool.name, "description": description, "inputSchema": {"json": schema}}}


def former_tools(items: bytes) -> list[Json]:
    """Tools that were used and are gone. Converse refuses a history whose tools have no spec."""
    names = dict.fromkeys(name.decode() for name in _CALLS.findall(items))
    description = "Was used earlier in this conversation and cannot be used any more."
    return [tool_spec(ToolSpec(name=name, description=description, input_schema={})) for name in names]
