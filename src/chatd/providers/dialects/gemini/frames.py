"""What Gemini sends, as far as we read it. Everything may be missing, and anything may be there besides."""

from msgspec import Struct

from chatd.domain.part import Json


class _Wire(Struct, frozen=True, rename="camel", gc=False):
    pass


class PartialArg(_Wire, frozen=True, rename="camel"):
    """A piece of one argument, at its place in the arguments."""

    json_path: str = ""
    string_value: str | None = None
    number_value: float | None = None
    bool_value: bool | None = None
    will_continue: bool | None = None


class FunctionCall(_Wire, frozen=True, rename="camel"):
    name: str | None = None
    args: Json = None
    id: str | None = None
    partial_args: list[PartialArg] | None = None
    will_continue: bool | None = None


class Blob(_Wire, frozen=True, rename="camel"):
    mime_type: str = ""
    data: str = ""
    display_name: str | None = None


class Part(_Wire, frozen=True, rename="camel"):
    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: FunctionCall | None = None
    inline_data: Blob | None = None
    # What Google runs itself goes back as it came, so it is kept as it came.
    executable_code: dict[str, Json] | None = None
    code_execution_result: dict[str, Json] | None = None
    tool_call: dict[str, Json] | None = None
    tool_response: dict[str, Json] | None = None


class Content(_Wire, frozen=True, rename="camel"):
    parts: list[Part] | None = None


class Citation(_Wire, frozen=True, rename="camel"):
    uri: str | None = None
    title: str | None = None


class CitationMetadata(_Wire, frozen=True, rename="camel"):
    # Vertex and the Gemini API have different words for it.
    citations: list[Citation] | None = None
    citation_sources: list[Citation] | None = None


class Candidate(_Wire, frozen=True, rename="camel"):
    index: int | None = None
    content: Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None
    grounding_metadata: dict[str, Json] | None = None
    citation_metadata: CitationMetadata | None = None


class UsageMetadata(_Wire, frozen=True, rename="camel"):
    prompt_token_count: int | None = None
    cached_content_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None


class PromptFeedback(_Wire, frozen=True, rename="camel"):
    block_reason: str | None = None
    block_reason_message: str | None = None


class Error(_Wire, frozen=True, rename="camel"):
    code: int | None = None
    message: str | None = None
    status: str | None = None


class Chunk(_Wire, frozen=True, rename="camel"):
    candidates: list[Candidate] | None = None
    usage_metadata: UsageMetadata | None = None
    prompt_feedback: PromptFeedback | None = None
    response_id: str | None = None
    model_version: str | None = None
    error: Error | None = None


class GroundingChunk(_Wire, frozen=True, rename="camel"):
    web: Citation | None = None


class Grounding(_Wire, frozen=True, rename="camel"):
    grounding_chunks: list[GroundingChunk] | None = None
    web_search_queries: list[str] | None = None
