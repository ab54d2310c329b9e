"""What Converse sends, as far as we read it. Everything may be missing, and anything may be there besides."""

from msgspec import Struct, field

from chatd.domain.part import Json


class _Wire(Struct, frozen=True, rename="camel", gc=False):
    pass


class ReasoningDelta(_Wire, frozen=True, rename="camel"):
    text: str | None = None
    signature: str | None = None
    redacted_content: str | None = None


class ToolUseDelta(_Wire, frozen=True, rename="camel"):
    input: str = ""


class Web(_Wire, frozen=True, rename="camel"):
    url: str | None = None


class Location(_Wire, frozen=True, rename="camel"):
    web: Web | None = None


class CitationDelta(_Wire, frozen=True, rename="camel"):
    title: str | None = None
    location: Location | None = None


class Delta(_Wire, frozen=True, rename="camel"):
    text: str | None = None
    tool_use: ToolUseDelta | None = None
    reasoning_content: ReasoningDelta | None = None
    citation: CitationDelta | None = None
    tool_result: list[Json] | None = None


class BlockDelta(_Wire, frozen=True, rename="camel"):
    delta: Delta
    content_block_index: int = 0


class ToolUse(_Wire, frozen=True, rename="camel"):
    tool_use_id: str = ""
    name: str = ""
    type: str | None = None


class ToolResult(_Wire, frozen=True, rename="camel"):
    tool_use_id: str = ""
    type: str | None = None
    status: str | None = None


class Start(_Wire, frozen=True, rename="camel"):
    tool_use: ToolUse | None = None
    tool_result: ToolResult | None = None


class BlockStart(_Wire, frozen=True, rename="camel"):
    start: Start = Start()
    content_block_index: int = 0


class BlockStop(_Wire, frozen=True, rename="camel"):
    content_block_index: int = 0


class MessageStart(_Wire, frozen=True, rename="camel"):
    role: str = ""


class MessageStop(_Wire, frozen=True, rename="camel"):
    stop_reason: str = ""


class CacheDetail(_Wire, frozen=True, rename="camel"):
    ttl: str = ""
    input_tokens: int = 0


class TokenUsage(_Wire, frozen=True, rename="camel"):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    cache_details: list[CacheDetail] | None = None


class Metadata(_Wire, frozen=True, rename="camel"):
    usage: TokenUsage | None = None


class Fault(_Wire, frozen=True, rename="camel"):
    message: str | None = None
    original_status_code: int | None = None
    original_message: str | None = None
    loud_message: str | None = field(default=None, name="Message")
