"""Errors as answers: one envelope for all of them, and a table that knows their status."""

from collections.abc import Mapping

from starlette.responses import Response

from chatd.api.bodies import ErrorBody, ErrorDetail
from chatd.errors import (
    BadInput,
    LimitReached,
    NotAllowed,
    NotFound,
    Refused,
    Unauthenticated,
)
from chatd.kit.codec import encode


class BodyTooLarge(LimitReached):
    pass


class WrongMethod(Refused):
    """The path exists; this method does not. `allowed` are those that do."""

    def __init__(self, method: str, allowed: tuple[str, ...]) -> None:
        listed = ", ".join(allowed)
        super().__init__("wrong_method", f"{method} cannot be used here.", hint=f"Use one of {listed}.")
        self.allowed = listed


class NotReady(Refused):
    pass


# The nearest class on the way up counts: a BadInput that is also a LimitReached is a bad input.
STATUS: Mapping[type[Refused], int] = {
    BadInput: 400,
    Unauthenticated: 401,
    NotFound: 404,
    WrongMethod: 405,
    NotAllowed: 409,
    BodyTooLarge: 413,
    LimitReached: 429,
    NotReady: 503,
    Refused: 409,
}


def refusal(error: Refused) -> Response:
    """The answer to a caller who asked for what cannot be."""
    detail = ErrorDetail(code=error.code, message=error.message, field=error.field, hint=error.hint)
    return _answer(status_of(type(error)), detail, _headers(error))


def breakdown(request_id: str) -> Response:
    """The answer when something of ours broke: nothing of it is told, but where to look."""
    detail = ErrorDetail(
        code="internal_error",
        message="Something went wrong in the server.",
        hint=f"An administrator finds it in the log under the request id {request_id}.",
    )
    return _answer(500, detail, {})


def status_of(error: type[Refused]) -> int:
    return next(STATUS[each] for each in error.__mro__ if each in STATUS)


def _headers(error: Refused) -> Mapping[str, str]:
    match error:
        case WrongMethod():
            return {"Allow": error.allowed}
        case Unauthenticated():
            return {"WWW-Authenticate": 'Bearer realm="chatd"'}
        case _:
            return {}


def _answer(status: int, detail: ErrorDetail, headers: Mapping[str, str]) -> Response:
    body = encode(ErrorBody(error=detail))
    return Response(body, status, headers=headers, media_type="application/json")
