"""What a caller has to deal with: the server said no, or did not say anything."""

from chatd.errors import ChatdError


class ApiError(ChatdError):
    """The server refused. `code` is for programs, the message for people, `hint` says what to do next."""

    def __init__(
        self, code: str, message: str, *, status: int, hint: str | None = None, field: str | None = None
    ) -> None:
        super().__init__(f"{message} {hint}" if hint else message)
        self.code = code
        self.message = message
        self.hint = hint
        self.field = field
        self.status = status


class Unreachable(ChatdError):
    """No server answered, or the connection broke. It is not known whether the request had an effect."""
