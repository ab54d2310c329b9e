"""The frames of an answer, as far as we read them. What is not named here is skipped while decoding.

Gateways leave fields out, or write null for them: hence the many defaults.
"""

from msgspec import Raw, Struct

from chatd.domain.part import Json

# A frame that does not say which output item it is about.
NOWHERE = -1


class Delta(Struct, gc=False):
    """A piece of text, of a refusal, of reasoning or of arguments."""

    delta: str = ""
    output_index: int = NOWHERE
    content_index: int = 0
    summary_index: int = 0
    item_id: str = ""


class Arguments(Struct, gc=False):
    arguments: str | None = None
    output_index: int = NOWHERE
    item_id: str = ""


class Annotation(Struct, gc=False):
    type: str = ""
    url: str | None = None
    title: str | None = None
    file_id: str | None = None
    filename: str | None = None


class AnnotationAdded(Struct, gc=False):
    annotation: Annotation | None = None


class Part(Struct, gc=False):
    """Of a message: text or a refusal. Of reasoning: a summary or the thought itself."""

    type: str = ""
    text: str | None = None
    refusal: str | None = None
    annotations: list[Annotation] | None = None


class PartFrame(Struct, gc=False):
    part: Part
    output_index: int = NOWHERE
    content_index: int = 0
    item_id: str = ""


class Item(Struct, gc=False):
    """An output item: what is needed of most kinds. The whole is decoded where it has to be kept."""

    type: str = ""
    id: str | None = None
    status: str | None = None
    phase: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    # What a custom tool is given.
    input: str | None = None
    content: list[Part] | None = None
    summary: list[Part] | None = None
    encrypted_content: str | None = None


class ItemFrame(Struct, gc=False):
    item: Raw
    output_index: int = NOWHERE


class InputDetails(Struct, gc=False):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class OutputDetails(Struct, gc=False):
    reasoning_tokens: int | None = None


class Counts(Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: InputDetails | None = None
    output_tokens_details: OutputDetails | None = None
    # Of gateways such as OpenRouter: a number with more digits than a float keeps.
    cost: Raw = Raw(b"")


class Incomplete(Struct, gc=False):
    reason: str | None = None


class Fault(Struct, gc=False):
    code: str | int | None = None
    type: str | None = None
    message: str | None = None


class Response(Struct, gc=False):
    id: str | None = None
    model: str | None = None
    usage: Counts | None = None
    incomplete_details: Incomplete | None = None
    error: Fault | None = None
    output: list[Raw] | None = None


class ResponseFrame(Struct, gc=False):
    response: Response


class ErrorFrame(Struct, gc=False):
    """OpenAI documents the fault in the frame itself, and sends it one level deeper as well."""

    code: str | int | None = None
    message: str | None = None
    error: Fault | None = None


class Kind(Struct, gc=False):
    """Of a frame that came without a name."""

    type: str | None = None
    error: Json = None
