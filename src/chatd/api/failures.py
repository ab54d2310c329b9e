"""Errors as answers: one envelope for all of them, and a table that knows their status."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from starlette.responses import Response

from chatd.accounts.ways_in.passwords.tries import WaitToTry
from chatd.api.bodies import ErrorBody, ErrorDetail
from chatd.catalog.models.store import NotForUsers, Unmet
from chatd.errors import (
    BadInput,
    LimitReached,
    NotAllowed,
    NotFound,
    ProviderError,
    QuotaReached,
    Refused,
    Unauthenticated,
    Unavailable,
)
from chatd.kit.codec import encode

CHALLENGE = 'Bearer realm="chatd"'
# We cannot know when the requests of other users are answered, so a short pause is advised.
RETRY_AT_ONCE_SECONDS = 1
# Nor when a database is back.
RETRY_DATABASE_SECONDS = 5


class BodyTooLarge(LimitReached):
    pass


class TooManyRequests(LimitReached):
    """More than a caller may make in a minute. After `retry_after_seconds` the next one is accepted."""

    def __init__(self, what: str, limit: int, retry_after_seconds: int, advice: str = "") -> None:
        super().__init__(
            "too_many_requests",
            f"These are more than {limit} {what} in a minute.",
            limit=limit,
            hint=f"Wait {retry_after_seconds} s. {advice}".strip(),
        )
        self.retry_after_seconds = retry_after_seconds


class TooMuchAtOnce(LimitReached):
    """Of one user's requests. As soon as one of them is answered, the next is accepted."""

    def __init__(self, message: str, *, limit: int) -> None:
        super().__init__(
            "too_much_at_once", message, limit=limit, hint="Wait for one of them, and try again."
        )


class Busy(Refused):
    """The requests of all users together are as many as the server takes at once."""

    def __init__(self, message: str) -> None:
        super().__init__("server_busy", message, hint="Try again in a few seconds.")


class Forbidden(Refused):
    """The caller may see it, and may not do this to it."""


class SignInEnded(Unauthenticated):
    """The cookie of a browser counts no more. `set_cookie` has the browser forget it."""

    set_cookie: str | None = None

    def __init__(self) -> None:
        super().__init__(
            "unauthenticated",
            "You are signed out: the sign-in of this browser has ended.",
            hint="Sign in again. `chatd link` makes a link for it.",
        )


class UnknownHost(Refused):
    """The request was meant for another server."""

    def __init__(self) -> None:
        super().__init__(
            "unknown_host",
            "This server does not answer for the host that the request names.",
            hint="Use its own address, or have its operator set `public_url` or `allowed_hosts`.",
        )


class WrongMethod(Refused):
    """The path exists; this method does not. `allowed` are the methods that it has."""

    def __init__(self, method: str, allowed: tuple[str, ...]) -> None:
        listed = ", ".join(allowed)
        super().__init__("wrong_method", f"{method} cannot be used here.", hint=f"Use one of {listed}.")
        self.allowed = listed


class ModelFailed(Refused):
    """A model was asked at the caller's wish, and its provider failed."""

    def __init__(self, error: ProviderError) -> None:
        super().__init__("model_failed", error.message, hint="Try again in a while.")


class NotReady(Refused):
    pass


class DatabaseUnavailable(Refused):
    """What a caller is told of an Unavailable. The log has the reason."""

    def __init__(self) -> None:
        super().__init__(
            "database_unavailable",
            "The database cannot be used at the moment.",
            hint="Look whether it was done all the same, and try again in a few seconds.",
        )


class BodyTooSlow(Refused):
    pass


# The nearest class on the way up counts: a BadInput that is also a LimitReached is a bad input.
STATUS: Mapping[type[Refused], int] = {
    BadInput: 400,
    Unauthenticated: 401,
    Forbidden: 403,
    NotForUsers: 403,
    NotFound: 404,
    WrongMethod: 405,
    BodyTooSlow: 408,
    NotAllowed: 409,
    Unmet: 412,
    BodyTooLarge: 413,
    QuotaReached: 413,
    UnknownHost: 421,
    LimitReached: 429,
    ModelFailed: 502,
    Busy: 503,
    NotReady: 503,
    DatabaseUnavailable: 503,
    Refused: 409,
}


# Makes the answer, of its status, what is to be said, and its headers.
Written: TypeAlias = Callable[[int, ErrorDetail, Mapping[str, str]], Response]


# What is answered is one user's, and no browser keeps it for the next one who sits there.
JSON_HEADERS: Mapping[str, str] = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def as_json(status: int, detail: ErrorDetail, headers: Mapping[str, str]) -> Response:
    body = encode(ErrorBody(error=detail))
    return Response(body, status, headers={**JSON_HEADERS, **headers}, media_type="application/json")


def refusal(error: Refused | Unavailable, written: Written = as_json) -> Response:
    """The answer to a caller who asked for what cannot be."""
    if isinstance(error, Unavailable):
        error = DatabaseUnavailable()
    detail = ErrorDetail(code=error.code, message=error.message, field=error.field, hint=error.hint)
    return written(status_of(type(error)), detail, _headers(error))


def breakdown(request_id: str, written: Written = as_json) -> Response:
    """The answer to an unexpected exception: the request id to look for in the log, and no details."""
    detail = ErrorDetail(
        code="internal_error",
        message="Something went wrong in the server.",
        hint=f"An administrator finds it in the log under the request id {request_id}.",
    )
    return written(500, detail, {})


def status_of(error: type[Refused]) -> int:
    return next(STATUS[each] for each in error.__mro__ if each in STATUS)


def _headers(error: Refused) -> Mapping[str, str]:
    match error:
        case WrongMethod():
            return {"Allow": error.allowed}
        case SignInEnded(set_cookie=str(forget)):
            return {"WWW-Authenticate": CHALLENGE, "Set-Cookie": forget}
        case Unauthenticated():
            return {"WWW-Authenticate": CHALLENGE}
        case BodyTooSlow():
            # The rest of the body is not read.
            return {"Connection": "close"}
        case TooManyRequests() | WaitToTry():
            return {"Retry-After": str(error.retry_after_seconds)}
        case TooMuchAtOnce() | Busy():
            return {"Retry-After": str(RETRY_AT_ONCE_SECONDS)}
        case DatabaseUnavailable():
            return {"Retry-After": str(RETRY_DATABASE_SECONDS)}
        case _:
            return {}
