"""What the provider's own tools found: one part for people, one that only goes back (pure)."""

from msgspec import Struct

from chatd.domain.part import Json

# The kind of a block that holds a result is the tool's name and this.
RESULT_SUFFIX = "_tool_result"


class Result(Struct, frozen=True, kw_only=True):
    call_id: str
    # For people and other models; nothing in it is opaque.
    readable: Json
    is_error: bool
    # For the provider: the block without its id, as it came.
    internal: Json
    sources: tuple[tuple[Json, Json], ...] = ()


def read_result(wire: dict[str, Json]) -> Result:
    content = wire.get("content")
    code = _error_code(content)
    kept = {name: wire[name] for name in ("type", "content", "caller") if wire.get(name) is not None}
    call_id = wire.get("tool_use_id")
    return Result(
        call_id=call_id if isinstance(call_id, str) else "",
        readable=code if code is not None else _without_ciphers(content),
        is_error=code is not None,
        internal=kept,
        sources=tuple(
            (entry.get("url"), entry.get("title"))
            for entry in (content if isinstance(content, list) else ())
            if isinstance(entry, dict) and entry.get("type") == "web_search_result"
        ),
    )


def _error_code(content: Json) -> str | None:
    if isinstance(content, dict) and str(content.get("type", "")).endswith("_error"):
        return str(content.get("error_code") or "unavailable")
    return None


def _without_ciphers(value: Json) -> Json:
    if isinstance(value, list):
        return [_without_ciphers(entry) for entry in value]
    if isinstance(value, dict):
        return {
            name: _without_ciphers(entry) for name, entry in value.items() if not name.startswith("encrypted")
        }
    return value
