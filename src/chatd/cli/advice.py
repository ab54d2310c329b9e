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
# What the rules refuse in the state that a chat is in, by what was typed, in the words of who talks.
_NOT_NOW = {
    "/retry": "There is nothing to try again: the last turn has not failed.",
    "/stop": "There is nothing to stop: the agent is not at work.",
}
# The same for everything else, by how the chat is.
_STOPPED = "interrupting"
_STATES = {
    "running": "the agent is at work. /stop stops it",
    _STOPPED: "the agent is being stopped",
    "requires_action": "the agent waits for your answer",
    "waiting": "the agent rests",
    "error": "the last turn has failed. /retry tries it again",
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


def in_talk(error: Exception, typed: str = "", status: str = "") -> str:
    """The same in `chatd chat`, where this command was typed, with its whole name, while the chat was so."""
    match error:
        case ApiError(code="not_allowed", hint=None) if typed in _NOT_NOW and status != _STOPPED:
            return _NOT_NOW[typed]
        case ApiError(code="not_allowed", hint=None) if status in _STATES:
            return f"That is not possible now: {_STATES[status]}."
        case ApiError(code=code, message=message) if code in _IN_TALK:
            return f"{message} {_IN_TALK[code]}"
        case ApiError():
            return sentence(error)
        case _:
            return str(error)
