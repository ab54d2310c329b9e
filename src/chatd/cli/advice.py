"""What went wrong, and what to do about it at a terminal. What the API advises is for programs."""

from chatd.client import ApiError, Unreachable

_ADVICE = {
    "chat_not_found": "`chatd ls` lists yours, with their whole ids.",
    "model_not_found": "`chatd model ls` lists them.",
    "effort_without_effect": "Leave --effort out, or choose another model with --model.",
    "unauthenticated": "Give yours with --token or CHATD_TOKEN, or the data directory with --data-dir.",
}
# The same for who talks, and types behind a slash.
_IN_TALK = {
    "chat_not_found": "/ls lists yours.",
    "model_not_found": "/model lists them.",
    "effort_without_effect": "/effort default leaves it to the model.",
}
# What an advice for programs names.
_ROUTE = "/api/v1/"
_FIELDS = {"base_url": "Give it with --base-url.", "type": "Say what it is with --type."}


def sentence(error: Exception) -> str:
    match error:
        case Unreachable():
            return f"{error} Is `chatd serve` running? Name another server with --url."
        case ApiError(code=code, message=message) if code in _ADVICE:
            return f"{message} {_ADVICE[code]}"
        case ApiError(message=message, hint=str(hint)) if _ROUTE in hint:
            return message
        case ApiError(field=field, hint=None) if field in _FIELDS:
            return f"{error} {_FIELDS[field]}"
        case _:
            return str(error)


def in_talk(error: Exception) -> str:
    """The same in `chatd chat`."""
    match error:
        case ApiError(code=code, message=message) if code in _IN_TALK:
            return f"{message} {_IN_TALK[code]}"
        case ApiError():
            return sentence(error)
        case _:
            return str(error)
