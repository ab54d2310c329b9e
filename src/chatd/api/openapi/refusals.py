"""What can be refused where, and how that is described."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from chatd.api.bodies import Nothing
from chatd.api.chats.streams.stream import AnyStream
from chatd.api.router import AnyRoute
from chatd.api.serving.callers.auth import SAFE_METHODS
from chatd.api.serving.origins.hosts import EXEMPT
from chatd.domain.people.deeds import Deed

Schema = dict[str, Any]

# What each refusal is called, and what it means.
REFUSALS = {
    400: ("BadRequest", "The request is wrong; `field` says where."),
    401: ("Unauthenticated", "The request has no valid token."),
    403: ("Forbidden", "The caller may not do this."),
    404: ("NotFound", "There is no such thing, or not for this caller."),
    408: ("BodyTooSlow", "The body did not arrive in time."),
    409: ("NotNow", "It cannot be done as things are; `code` says why."),
    412: ("Unmet", "Something that it needs is missing or switched off."),
    413: ("BodyTooLarge", "The body is too large, or the caller has as much as they may."),
    421: ("UnknownHost", "The server does not answer for the host that the request names."),
    429: ("LimitReached", "These are too many, or too many at once."),
    500: ("InternalError", "Something went wrong in the server; its log says what."),
    502: ("ModelFailed", "A model was asked for it, and its provider failed."),
    503: ("Unavailable", "The server or its database cannot do it at the moment."),
}

# What is left of what the caller may do in a minute. All answers but those to anyone tell the last three.
LEFT: Schema = {
    name: {"description": meaning, "schema": {"type": "integer", "minimum": 0}}
    for name, meaning in {
        "Retry-After": "In how many seconds to try again.",
        "RateLimit-Limit": "How many requests are taken at once, of those with the least left.",
        "RateLimit-Remaining": "How many of them are left.",
        "RateLimit-Reset": "In how many seconds all of them are there again.",
    }.items()
}


def described_refusals(body: Schema) -> Schema:
    """Each refusal, with the shape of its body."""
    return {
        name: {
            "description": meaning,
            **({"headers": LEFT} if status == HTTPStatus.TOO_MANY_REQUESTS else {}),
            "content": {"application/json": {"schema": body}},
        }
        for status, (name, meaning) in REFUSALS.items()
    }


def refusals_of(route: AnyRoute) -> list[int]:
    """The statuses of everything that can refuse a request to this route."""
    statuses = {400, 500, *route.refuses}
    if route.path not in EXEMPT:
        statuses.add(421)
    if route.for_guests:
        statuses |= {404, 429, 503}
    elif route.deed is not Deed.ENTER:
        statuses |= {401, 403, 429, 503}
    if route.method not in SAFE_METHODS:
        # A request with a cookie that a page of others has made.
        statuses.add(403)
    if "{" in route.path:
        statuses.add(404)
    if route.body is not Nothing:
        statuses |= {408, 413}
    return sorted(statuses)


def refusals_of_stream(stream: AnyStream) -> list[int]:
    if stream.for_guests:
        return [400, 403, 404, 421, 429, 500, 503]
    return [400, 401, 403, *([404] if "{" in stream.path else []), 421, 429, 500, 503]


def refused(statuses: Iterable[int]) -> Schema:
    return {str(each): {"$ref": f"#/components/responses/{REFUSALS[each][0]}"} for each in statuses}
