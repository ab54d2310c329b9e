"""Whether what a model wrote fits what a tool takes (pure).

Nothing is guessed. A model that is told precisely what is wrong writes it right the next time; a
tool that runs with half its arguments does something that was not asked for.
"""

import json
from typing import NoReturn

import msgspec
from msgspec import Struct

from chatd.domain.part import Json
from chatd.tools.tool import AnyTool, ToolError


def fitting(tool: AnyTool, args: Json) -> Struct:
    """The arguments as the tool wants them. Raises ToolError with what to correct.

    `args` is the object that the model wrote, the text of it when it is no good JSON, or None.
    """
    value = _read(tool, args) if isinstance(args, str) else args
    try:
        fits: Struct = msgspec.convert({} if value is None else value, tool.args)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise _unfit(tool, str(error)) from error
    return fits


def _read(tool: AnyTool, text: str) -> Json:
    if not text.strip():
        return None
    try:
        return json.loads(text, object_pairs_hook=_once_each, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise _unfit(tool, f"they are no valid JSON ({error})") from error


def _once_each(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    once: dict[str, Json] = {}
    for key, value in pairs:
        if key in once:
            raise ValueError(f"the key {key!r} is there twice")
        once[key] = value
    return once


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


def _unfit(tool: AnyTool, why: str) -> ToolError:
    known = [
        f"{field.encode_name}{' (required)' if field.required else ''}"
        for field in msgspec.structs.fields(tool.args)
    ]
    takes = f"It takes {', '.join(known)}." if known else "It takes none."
    return ToolError(
        f"Nothing was run, because the arguments of {tool.name} do not fit: {why.rstrip('.')}. "
        f"{takes} Names count exactly as they are written. Correct the arguments and call it again."
    )
