"""Errors inside an answer that had begun well (pure)."""

from collections.abc import Mapping

from chatd.domain.part import Json
from chatd.errors import ProviderError
from chatd.providers import failures

_STATUS_MIN, _STATUS_MAX = 400, 599


def reported(error: Json) -> ProviderError:
    """What a server reports as an error: an object, or a word."""
    if not isinstance(error, Mapping):
        return failures.in_stream(message=error if isinstance(error, str) else "")
    code, type_ = error.get("code"), error.get("type")
    status = _status(code) or _status(error.get("status"))
    return failures.in_stream(
        # A number says it as a status already.
        code=code if isinstance(code, str) and _status(code) is None else "",
        type_=type_ if isinstance(type_, str) else "",
        message=_message(error),
        status=status,
    )


def _message(error: Mapping[str, Json]) -> str:
    found = (error.get(key) for key in ("message", "detail", "error"))
    return next((words for words in found if isinstance(words, str) and words), "")


def _status(code: Json) -> int | None:
    """OpenRouter and others put the HTTP status where others have a word."""
    if isinstance(code, str) and code.isdecimal():
        code = int(code)
    is_status = isinstance(code, int) and not isinstance(code, bool) and _STATUS_MIN <= code <= _STATUS_MAX
    return code if is_status else None
