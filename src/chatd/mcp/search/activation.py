"""Which deferred tools a model is told of, by what its history shows (pure).

Nothing is stored: a summary that takes a search out of the prompt takes its tools out as well, and an edit
that goes back brings back what was active then.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from chatd.domain.message import Message
from chatd.domain.part import Json, ToolResult

FIND_TOOLS = "find_tools"
# How many uses are looked at, the newest first. More tools than this never fit into the budget.
USES_MAX = 500


class Use(Struct, frozen=True):
    """A tool was found, or called."""

    name: str
    failed: bool = False


def uses_in(messages: Iterable[Message], known: Mapping[str, int]) -> list[Use]:
    """In the order of the messages."""
    return [
        use
        for message in messages
        for part in message.content
        if isinstance(part, ToolResult)
        for use in _uses(part)
        if use.name in known
    ]


def _uses(result: ToolResult) -> Iterable[Use]:
    if result.tool_name != FIND_TOOLS:
        return [Use(result.tool_name, failed=result.is_error)]
    found: Json = result.result.get("activated") if isinstance(result.result, dict) else None
    return [Use(name) for name in reversed(found) if isinstance(name, str)] if isinstance(found, list) else []


def active(uses: Sequence[Use], tokens: Mapping[str, int], budget: int) -> frozenset[str]:
    """As many as fit: the newest first, those that failed last. The first one stays, whatever it takes."""
    newest = uses[: -USES_MAX - 1 : -1]
    worked = dict.fromkeys(use.name for use in newest if not use.failed)
    ranked = dict.fromkeys([*worked, *(use.name for use in newest)])
    offered: set[str] = set()
    left = budget
    for name in ranked:
        if offered and tokens[name] > left:
            break
        offered.add(name)
        left -= tokens[name]
    return frozenset(offered)
