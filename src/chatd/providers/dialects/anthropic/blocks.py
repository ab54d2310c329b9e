"""Parts of a turn as blocks of the wire (pure)."""

from binascii import b2a_base64
from collections.abc import Callable, Mapping
from typing import TypeAlias

from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.capabilities.target import Target
from chatd.providers.dialects.anthropic.opaque import CALLER, CITATIONS, REDACTED, SIGNATURE
from chatd.providers.request.wire_turn import Attachment, Called, Returned, SaidText, Thought, TurnPart

Block: TypeAlias = dict[str, Json]
Warnings: TypeAlias = list[str]

IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
PDF = "application/pdf"
THINKING_KINDS = frozenset({"thinking", "redacted_thinking"})

_NOTHING_RETURNED = "(The tool returned nothing.)"
_UNNAMED_DOCUMENT = "Document"


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def said_by_model(part: TurnPart, target: Target, warnings: Warnings) -> list[Block]:
    write = _MODEL_SAYS.get(type(part))
    if write is None:
        warnings.append("Files that a model made are not sent back.")
        return []
    return write(part, target, warnings)


def said_to_model(part: TurnPart, warnings: Warnings) -> list[Block]:
    """Results first is the message's business: here each part is written by itself."""
    match part:
        case SaidText(text=text):
            return [text_block(text)] if text.strip() else []
        case Attachment():
            return _file(part, warnings)
        case Returned():
            return _result(part, warnings)
        case Thought() | Called():
            warnings.append(
                "Only a model thinks and calls tools: such parts of other messages were left out."
            )
            return []


def _model_text(part: SaidText, target: Target, warnings: Warnings) -> list[Block]:  # noqa: ARG001 - as its siblings
    if not part.text.strip():
        return []
    citations = _opaque(part.internal).get(CITATIONS)
    return [text_block(part.text) | ({"citations": citations} if citations else {})]


def _thought(part: Thought, target: Target, warnings: Warnings) -> list[Block]:
    opaque = _opaque(part.internal)
    options = target.options.anthropic
    if options is not None and not options.send_reasoning:
        warnings.append("Reasoning is not sent back: it is switched off.")
    elif REDACTED in opaque:
        return [{"type": "redacted_thinking", "data": opaque[REDACTED]}]
    elif SIGNATURE in opaque:
        return [{"type": "thinking", "thinking": part.text, "signature": opaque[SIGNATURE]}]
    else:
        warnings.append("Reasoning without a signature was left out.")
    return []


def _call(part: Called, target: Target, warnings: Warnings) -> list[Block]:  # noqa: ARG001 - as its siblings
    kind = "server_tool_use" if part.provider_executed else "tool_use"
    block: Block = {"type": kind, "id": part.id, "name": part.tool, "input": part.args}
    if part.provider_executed and (caller := _opaque(part.internal).get(CALLER)):
        block["caller"] = caller
    return [block]


def _provider_result(part: Returned, target: Target, warnings: Warnings) -> list[Block]:  # noqa: ARG001 - as its siblings
    opaque = _opaque(part.internal)
    block: Block = {
        "type": opaque["type"],
        "tool_use_id": part.id,
        "content": opaque.get("content", []),
    }
    if caller := opaque.get(CALLER):
        block["caller"] = caller
    return [block]


_MODEL_SAYS: Mapping[type[TurnPart], Callable[..., list[Block]]] = {
    SaidText: _model_text,
    Thought: _thought,
    Called: _call,
    # Results of our own tools are never part of what a model says.
    Returned: _provider_result,
}


def _result(part: Returned, warnings: Warnings) -> list[Block]:
    text = (
        ""
        if part.output is None
        else part.text
        if isinstance(part.output, str)
        else codec.encode_text(part.output)
    )
    content = [text_block(text)] if text.strip() else []
    files = [block for attachment in part.attachments for block in _file(attachment, warnings)]
    # An error is told in words alone; its pictures follow the results.
    behind = files if part.is_error else []
    if not part.is_error:
        content += files
    block: Block = {
        "type": "tool_result",
        "tool_use_id": part.id,
        "content": content or [text_block(_NOTHING_RETURNED)],
    }
    if part.is_error:
        block["is_error"] = True
    return [block, *behind]


def _file(part: Attachment, warnings: Warnings) -> list[Block]:
    media_type = part.media_type.partition(";")[0].strip().lower()
    if media_type in IMAGES:
        return [{"type": "image", "source": _base64(media_type, part.data)}]
    if media_type == PDF:
        return [{"type": "document", "source": _base64(PDF, part.data), "title": title(part.name)}]
    if media_type.startswith("text/"):
        source = {"type": "text", "media_type": "text/plain", "data": part.data.decode("utf-8", "replace")}
        return [{"type": "document", "source": source, "title": title(part.name)}]
    warnings.append(f"A file of the type {media_type} was left out: this model does not take it.")
    return []


def _base64(media_type: str, data: bytes) -> Block:
    return {
        "type": "base64",
        "media_type": media_type,
        "data": b2a_base64(data, newline=False).decode("ascii"),
    }


def title(name: str | None) -> str:
    """A document's title: the provider allows letters, digits, spaces, hyphens and brackets."""
    allowed = (character if character.isalnum() or character in "-()[]" else " " for character in name or "")
    words = " ".join("".join(allowed).split())
    return words if any(character.isalnum() for character in words) else _UNNAMED_DOCUMENT


def _opaque(internal: Json) -> dict[str, Json]:
    return internal if isinstance(internal, dict) else {}
