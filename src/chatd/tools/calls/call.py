"""One call: find the tool, check the arguments, run it within its time, and shape what comes back.

A result always comes back. Whatever a tool does wrong, the model reads it as an error result and
goes on; the only thing that leaves here as an exception is the cancellation of our own task.
"""

import asyncio
from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.call import CallResult, Effect
from chatd.domain.ids import FileId
from chatd.domain.part import File, Json
from chatd.kit import codec
from chatd.kit.concurrency.tasks import is_cancelled
from chatd.kit.ids import new_id
from chatd.kit.text import shortened, valid_json, valid_text
from chatd.tools.arguments import UnfitError, fitting
from chatd.tools.calls.attachable import attachable, is_nameable
from chatd.tools.calls.gate import open_for_call
from chatd.tools.calls.time_limit import TimeLimit
from chatd.tools.calls.tool_tasks import RunTool, in_place
from chatd.tools.calls.truncate import result_bytes_max, truncated
from chatd.tools.tool import AnyTool, Attachment, Media, Result, Setting, ToolError
from chatd.tools.toolbox import Toolbox

MEDIA_BYTES_MAX = 10 * 1024 * 1024
# What a crash may say about itself.
_REASON_CHARACTERS_MAX = 500
# What is shown of a name that no tool has.
_NAME_CHARACTERS_MAX = 100

# What a model should know of a call that did not come to its end.
ADVICE: Mapping[Effect, str] = {
    Effect.READ: "It changes nothing and can be called again, perhaps for less at once.",
    Effect.REPEATABLE: "It may have done a part of its work, and can be called again.",
    Effect.ONCE: "It may have done a part of its work: check before you call it again.",
}

log = structlog.get_logger()


class Ran(Struct, frozen=True):
    """How a call went: what the model is told, and whether that is only a part of what there was."""

    result: CallResult
    truncated: bool = False
    # Not kept yet; `result` does not refer to them.
    attachments: tuple[Attachment, ...] = ()


async def run_call(
    toolbox: Toolbox,
    tool: str,
    args: Json,
    setting: Setting,
    *,
    context_limit: int = 0,
    run: RunTool = in_place,
) -> Ran:
    """What the tool of this name comes back with. `context_limit` is the model's, 0 when unknown."""
    bytes_max = result_bytes_max(context_limit)
    advice = ""
    try:
        found = _find(toolbox, tool)
        advice = ADVICE[found.effect]
        return _shaped(await _run(found, args, setting, run), bytes_max)
    except (ToolError, UnfitError) as error:
        return Ran(failed(str(error), bytes_max))
    except asyncio.CancelledError:
        if is_cancelled():
            raise
        # Something that the tool was waiting for was cancelled, and the tool did not notice.
        log.warning("tool.gave_up", tool=tool, chat_id=setting.chat_id, call_id=setting.call_id)
        return Ran(failed(f"{tool} broke off in the middle. {advice}", bytes_max))
    except (Exception, SystemExit) as error:
        log.warning(
            "tool.crashed", tool=tool, chat_id=setting.chat_id, call_id=setting.call_id, exc_info=True
        )
        return Ran(failed(f"{tool} crashed: {_reason(error)}. {advice}", bytes_max))


def failed(why: str, bytes_max: int = 0) -> CallResult:
    """An error result, as the model reads it."""
    return CallResult(result={"error": truncated(valid_text(why), bytes_max)}, is_error=True)


def _find(toolbox: Toolbox, name: str) -> AnyTool:
    if (refusal := toolbox.refusal(name)) is not None:
        raise ToolError(refusal)
    found = toolbox.find(name)
    if found is None:
        why = toolbox.missing(name) or _instead(toolbox, name)
        raise ToolError(f"Tool not found: {shortened(name, _NAME_CHARACTERS_MAX)}. {why}")
    return found


def _instead(toolbox: Toolbox, name: str) -> str:
    offered = {offer.name.casefold(): offer.name for offer in toolbox.specs()}
    if not offered:
        return "This chat has no tools. Answer without one."
    close = get_close_matches(name.casefold()[:_NAME_CHARACTERS_MAX], offered, n=1)
    meant = f"Did you mean {offered[close[0]]}? " if close else ""
    return f"{meant}Use one of the tools that you were offered, by its exact name."


async def _run(tool: AnyTool, args: Json, setting: Setting, run: RunTool) -> Json:
    fits = fitting(tool.name, tool.arguments, args)
    async with TimeLimit(tool.name, tool.seconds_max, ADVICE[tool.effect]) as limit:
        limited = replace(setting, resting=partial(limit.paused, setting.resting))
        with open_for_call(limited) as given:
            return await run(tool.name, setting, partial(tool.run, fits, given), limit.ignored)


def _reason(error: BaseException) -> str:
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return shortened(words.rstrip("."), _REASON_CHARACTERS_MAX)


def _shaped(value: Json, bytes_max: int) -> Ran:
    if isinstance(value, Result):
        ran = _shaped(value.value, bytes_max)
        return replace(ran, attachments=(*ran.attachments, *attachable(value.attachments)))
    if isinstance(value, Media):
        return _media(value, bytes_max)
    if isinstance(value, str):
        whole = valid_text(value)
        shown = truncated(whole, bytes_max)
        return Ran(CallResult(result=_from_text(shown)), truncated=shown != whole)
    # Not everything that Python can hold is JSON; better to learn it here than while it is stored.
    plain = valid_json(msgspec.to_builtins(value, str_keys=True))
    text = codec.encode_text(plain)
    shown = truncated(text, bytes_max)
    if shown == text:
        return Ran(CallResult(result=plain))
    return Ran(CallResult(result={"output": shown}), truncated=True)


def _media(media: Media, bytes_max: int) -> Ran:
    """Words are cut as ever; a picture is shown whole, or not at all."""
    if len(media.data) > MEDIA_BYTES_MAX:
        raise ToolError(
            f"The result is a {media.media_type} of {len(media.data):,} bytes, and at most "
            f"{MEDIA_BYTES_MAX:,} can be shown. Ask for a smaller one."
        )
    text = valid_text(media.text)
    shown = truncated(text, bytes_max)
    if not media.data:
        return Ran(CallResult(result={"output": shown or "It is empty."}), truncated=shown != text)
    file = _file_of(media)
    told = File(file_id=file.id, media_type=file.media_type, name=file.name, size_bytes=len(file.data))
    result = CallResult(result={"mime_type": file.media_type, "text": shown}, is_media=True, media=told)
    return Ran(result, truncated=shown != text, attachments=(file,))


def _file_of(media: Media) -> Attachment:
    type_ = valid_text(media.media_type)
    name = media.name if is_nameable(media.name) else f"result.{type_.rpartition('/')[2]}"
    return Attachment(id=FileId(new_id()), name=name, media_type=type_, data=media.data)


def _from_text(text: str) -> Json:
    """Text that is JSON is meant as JSON, as far as we can give it back as it was."""
    try:
        value = msgspec.json.decode(text)
        codec.encode(value)
    except (ValueError, OverflowError, RecursionError):
        return {"output": text}
    return value
