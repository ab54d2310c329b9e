"""What went wrong, and what to do about it at a terminal. What the API advises is for programs."""

from chatd.client import ApiError, Unreachable

_ADVICE = {
    "chat_not_found": "`chatd ls` lists yours, with their whole ids.",
    "unauthenticated": "Give yours with --token or CHATD_TOKEN, or the data directory with --data-dir.",
}
_FIELDS = {"base_url": "Give it with --base-url.", "type": "Say what it is with --type."}


def sentence(error: Exception) -> str:
    match error:
        case Unreachable():
            return f"{error} Is `chatd serve` running? Name another server with --url."
        case ApiError(code=code, message=message) if code in _ADVICE:
            return f"{message} {_ADVICE[code]}"
        case ApiError(field=field, hint=None) if field in _FIELDS:
            return f"{error} {_FIELDS[field]}"
        case _:
            return str(error)
