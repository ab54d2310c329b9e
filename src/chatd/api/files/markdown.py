"""A chat written out for people, as Markdown, without anything that a terminal would obey."""

import re
from collections.abc import Iterator, Mapping

from chatd.domain.ids import UserId
from chatd.domain.message import Message, Role
from chatd.domain.part import (
    ContextFile,
    File,
    FileReference,
    HookNotice,
    Part,
    Reasoning,
    Skill,
    Source,
    Text,
    ToolCall,
    ToolResult,
)
from chatd.kit.clock import rfc3339
from chatd.kit.codec import as_text
from chatd.kit.text import one_line, visible
from chatd.storage.reads.read import Export

# What takes less is not worth telling.
_TOLD_MS = 100

_SPEAKERS: Mapping[Role, str] = {
    Role.SYSTEM: "System",
    Role.USER: "User",
    Role.ASSISTANT: "Assistant",
    Role.TOOL: "Tool",
}


def written_out(found: Export) -> str:
    return "\n\n".join(_blocks(found)) + "\n"


def _blocks(found: Export) -> Iterator[str]:
    yield f"# {_plain(found.chat.title)}"
    yield f"Chat {found.chat.id}, begun {rfc3339(found.chat.created_at)}."
    if found.chat.summary is not None:
        yield _plain(found.chat.summary)
    names = {author.id: author.shown for author in found.authors}
    for message in found.messages:
        yield _heading(message, names)
        yield from (_part(part) for part in message.content)


def _heading(message: Message, names: Mapping[UserId, str]) -> str:
    """With the model that spoke, or the name of who wrote it where several people have."""
    who = message.model if message.role is Role.ASSISTANT else names.get(message.created_by or UserId(""))
    return f"## {_SPEAKERS[message.role]}{f', {_plain(who)}' if who else ''}"


def _part(part: Part) -> str:
    match part:
        case Text(text=text):
            return visible(text)
        case Reasoning(text=text) | HookNotice(text=text):
            return _quoted(text)
        case ToolCall(tool_name=name, args=args):
            return f"Calls `{_code(name)}`:\n\n{_fenced(as_text(args))}"
        case ToolResult(tool_name=name, media=File() as media):
            return f"Result of `{_code(name)}`{_took(part)}:\n\n{_part(media)}"
        case ToolResult(tool_name=name, result=result, is_error=is_error):
            word = "Error" if is_error else "Result"
            return f"{word} of `{_code(name)}`{_took(part)}:\n\n{_fenced(as_text(result))}"
        case Source(url=url, title=title):
            return f"Source: {_plain(title)} <{_plain(url)}>"
        case File(name=name, file_id=file_id, media_type=media_type):
            return f"File: `{_code(name or file_id)}` ({_plain(media_type)})"
        case FileReference(file_name=name, content=content):
            return f"From `{_code(name)}`{_lines(part)}" + (f":\n\n{_fenced(content)}" if content else "")
        case ContextFile(context_file_path=name) | Skill(skill_name=name):
            return f"Context: `{_code(name)}`"


def _took(part: ToolResult) -> str:
    """How long its call took, and who had allowed or denied it."""
    took_ms, decision = part.duration_ms or 0, part.decision
    took = f" after {took_ms / 1000:,.1f} s" if took_ms >= _TOLD_MS else ""
    if decision is None:
        return took
    return f"{took}, {'allowed' if decision.allowed else 'denied'} by {_plain(decision.by)}"


def _lines(part: FileReference) -> str:
    if part.start_line is None:
        return ""
    return f", lines {part.start_line} to {part.end_line if part.end_line is not None else 'the end'}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in visible(text).splitlines())


def _fenced(text: str) -> str:
    """Longer than any fence within, so that nothing inside can end it; cleaned first, or one could appear."""
    text = visible(text)
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _plain(text: str) -> str:
    return one_line(text)


def _code(text: str) -> str:
    return one_line(text).replace("`", "'")
