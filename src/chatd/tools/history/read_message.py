"""read_message: what was said in the chat, for an agent that was shown only a part of it."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.ids import FileId, MessageId
from chatd.domain.message import Message
from chatd.domain.part import File, FileReference, Json, Part, Text, ToolCall, ToolResult
from chatd.kit.codec import as_text, encode_text
from chatd.storage.database import Database
from chatd.storage.reads.read import list_messages
from chatd.storage.tables.files import read_files
from chatd.tools.arguments import typed
from chatd.tools.tool import Setting, Tool, ToolError, touches_nothing

LENGTH_BYTES = 8 * 1024
LENGTH_BYTES_MAX = 64 * 1024

DESCRIPTION = (
    "Read a message of this chat, piece by piece: one of which you were shown only the beginning and the "
    "end, or one that a summary has replaced. Messages are named by their number. The result tells how long "
    "the whole message is."
)


class Args(Struct, frozen=True, forbid_unknown_fields=True):
    message_id: Annotated[int, Meta(ge=1, description="The number of the message.")]
    offset: Annotated[int, Meta(ge=0, description="Where to begin, in bytes.")] = 0
    length: Annotated[int, Meta(ge=1, le=LENGTH_BYTES_MAX, description="How many bytes to read.")] = (
        LENGTH_BYTES
    )


def read_message(db: Database) -> Tool[Args]:
    async def run(args: Args, setting: Setting) -> Json:
        wanted = args.message_id
        before, after = MessageId(wanted + 1), MessageId(wanted - 1)
        page = await list_messages(db, setting.chat_id, before=before, after=after, limit=1)
        if not page.messages:
            raise ToolError(f"This chat has no message {wanted}.")
        [message] = page.messages
        attached = [part.file_id for part in message.content if isinstance(part, File)]
        text = _text_of(message, await read_files(db, attached)).encode("utf-8", "replace")
        if args.offset >= max(1, len(text)):
            raise ToolError(f"Message {wanted} has {len(text)} bytes; there is nothing at {args.offset}.")
        piece = text[args.offset : args.offset + args.length]
        return {
            "message_id": wanted,
            "role": message.role,
            "size_bytes": len(text),
            # Halves of characters at either end are left out.
            "text": piece.decode("utf-8", "ignore"),
            "next_offset": args.offset + len(piece) if args.offset + len(piece) < len(text) else None,
        }

    return Tool(
        name="read_message",
        description=DESCRIPTION,
        arguments=typed(Args),
        effect=Effect.READ,
        run=run,
        touches=touches_nothing,
        seconds_max=60.0,
    )


def _text_of(message: Message, files: Mapping[FileId, bytes]) -> str:
    return "\n".join(words for part in message.content if (words := _words_in(part, files)))


def _words_in(part: Part, files: Mapping[FileId, bytes]) -> str:
    match part:
        case Text(text=text) | FileReference(content=text):
            return text
        case ToolCall(tool_name=name, args=args):
            return f"{name} {encode_text(args)}"
        case ToolResult(is_media=False, result=result):
            return as_text(result)
        case File():
            return _words_of_file(part, files.get(part.file_id, b""))
        case _:
            return ""


def _words_of_file(file: File, data: bytes) -> str:
    name = file.name or file.file_id
    try:
        return f"[The file {name}:]\n{data.decode('utf-8')}"
    except UnicodeDecodeError:
        return f"[The file {name} is no text.]"
