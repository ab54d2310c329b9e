"""What the provider ran itself is sent back whole or not at all (pure).

Within one message every call of the provider's tools has one result, behind it, of the kind that belongs to
the tool. Histories are interrupted, cut and stored, so this may have come apart; what has is taken out, and
what can be read of it stays as text. One message is exempt: the provider compares its newest thoughts with
what they were said about, and accepts no other change than calls that led to nothing being gone.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from chatd.domain.part import Json
from chatd.providers import failures
from chatd.providers.dialects.anthropic.opaque import BROKEN, is_signed
from chatd.providers.dialects.anthropic.results import RESULT_SUFFIX
from chatd.providers.request.wire_turn import Called, Returned, SaidText, TurnPart, WireTurn

_SEARCHES = ("tool_search_tool_regex", "tool_search_tool_bm25")
_OTHERS = ("web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution")

# The tools that the provider runs, each with the kind of its results.
RESULT_KINDS = {tool: tool + RESULT_SUFFIX for tool in _OTHERS} | dict.fromkeys(
    _SEARCHES, "tool_search" + RESULT_SUFFIX
)


class Sanitized(Struct, frozen=True):
    turns: tuple[WireTurn, ...]
    warnings: tuple[str, ...] = ()


def sanitize(turns: Sequence[WireTurn], *, newest: bool) -> Sanitized:
    """Turns that may be sent. Raises ProviderError when the newest reply may neither be sent nor mended."""
    # Most histories hold nothing of the kind.
    if not any(_provider_ran(part) for turn in turns for part in turn.parts):
        return Sanitized(tuple(turns))
    sealed = _sealed(turns) if newest else None
    kept: list[WireTurn] = []
    changed = False
    for place, turn in enumerate(turns):
        parts = _without_unanswered(turn.parts) if place == sealed else _mended(turn)
        if place == sealed and _torn(parts):
            raise failures.unsendable("the newest reply holds provider tools that do not fit together")
        changed = changed or parts != turn.parts
        if parts:
            kept.append(msgspec.structs.replace(turn, parts=parts))
    warnings = ("Incomplete calls of the provider's own tools were left out.",) if changed else ()
    return Sanitized(tuple(kept), warnings)


def _sealed(turns: Sequence[WireTurn]) -> int | None:
    """The place of the newest reply, if its thoughts are signed."""
    replies = [place for place, turn in enumerate(turns) if turn.role == "assistant"]
    if replies and any(is_signed(part) for part in turns[replies[-1]].parts):
        return replies[-1]
    return None


def _mended(turn: WireTurn) -> tuple[TurnPart, ...]:
    if turn.role != "assistant":
        # Only the model calls these tools.
        return tuple(part for part in turn.parts if not _provider_ran(part))
    parts = _without_unanswered(turn.parts)
    torn = _torn(parts)
    mended: list[TurnPart] = []
    for part in parts:
        if not (isinstance(part, Called | Returned) and part.provider_executed and part.id in torn):
            mended.append(part)
        elif isinstance(part, Returned) and (text := _readable(part.output)):
            mended.append(SaidText(text))
    return tuple(mended)


def _without_unanswered(parts: tuple[TurnPart, ...]) -> tuple[TurnPart, ...]:
    answered = {part.id for part in parts if isinstance(part, Returned) and part.provider_executed}
    return tuple(
        part
        for part in parts
        if not (isinstance(part, Called) and part.provider_executed and part.id not in answered)
    )


def _torn(parts: tuple[TurnPart, ...]) -> set[str]:
    """The ids whose call and result are not exactly one pair, in order and of one kind."""
    by_id: dict[str, list[Called | Returned]] = {}
    for part in parts:
        if isinstance(part, Called | Returned) and part.provider_executed:
            by_id.setdefault(part.id, []).append(part)
    return {name for name, group in by_id.items() if not _is_pair(group)}


def _is_pair(group: list[Called | Returned]) -> bool:
    match group:
        case [Called() as call, Returned() as result]:
            return (
                bool(call.id)
                and _can_be_said_again(call)
                and _kind(result) == RESULT_KINDS.get(call.tool, "")
            )
        case _:
            return False


def _can_be_said_again(call: Called) -> bool:
    return not (isinstance(call.internal, dict) and call.internal.get(BROKEN))


def _kind(result: Returned) -> Json:
    return result.internal.get("type") if isinstance(result.internal, dict) else None


def _provider_ran(part: TurnPart) -> bool:
    return isinstance(part, Called | Returned) and part.provider_executed


def _readable(output: Json) -> str:
    """What a result says to a reader: its text, or the titles and addresses of what was found."""
    if isinstance(output, str):
        return output.strip()
    found = output if isinstance(output, list) else []
    lines = [
        f"{entry.get('title') or ''} {entry.get('url') or ''}".strip()
        for entry in found
        if isinstance(entry, dict)
    ]
    return "\n".join(line for line in lines if line)
