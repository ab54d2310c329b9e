"""The API as an OpenAPI document, made from the routes and the bodies. The same on every machine."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from msgspec import Raw, Struct

import chatd
from chatd.api.bodies import ErrorBody, Nothing
from chatd.api.chats.streams.sse import EVENT_STREAM
from chatd.api.chats.streams.stream import AnyStream
from chatd.api.checks import NUMBER_LENGTH_MAX
from chatd.api.failures import as_json
from chatd.api.files.disposition import HEADER_LENGTH_MAX
from chatd.api.openapi.always_present import mark_required
from chatd.api.openapi.operations import TAGS, operation_of
from chatd.api.router import AnyRoute, Download, Streamed, Upload
from chatd.api.routes import ROUTES, STREAMS
from chatd.api.serving.callers.auth import SAFE_METHODS
from chatd.api.serving.callers.cookies import PLAIN_NAME, SECURE_NAME
from chatd.api.serving.origins.hosts import EXEMPT
from chatd.domain.people.deeds import Deed
from chatd.kit.media_type import JSON

Schema = dict[str, Any]

# What is numbered within its chat.
_NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": 10**NUMBER_LENGTH_MAX - 1}
_PATH_TYPES: Mapping[str, Schema] = {"message_id": _NUMBER, "queued_id": _NUMBER, "branch": _NUMBER}

# What a file is called is said the way browsers say it.
_DISPOSITION: Schema = {
    "name": "Content-Disposition",
    "in": "header",
    "required": True,
    "schema": {"type": "string", "maxLength": HEADER_LENGTH_MAX},
    "description": 'The name of the file, of 1 to 255 characters: attachment; filename="notes.txt"',
}

# One of both.
WAYS_IN: list[dict[str, list[str]]] = [{"token": []}, {"cookie": []}]
OF_GUESTS: list[dict[str, list[str]]] = [{"guest": []}]

_REFERENCE = "#/components/schemas/{name}"
NOT_JSON = (Nothing, Download, Streamed, Upload)

# What each refusal is called there, and what it means.
_REFUSALS = {
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
_LEFT: Schema = {
    name: {"description": meaning, "schema": {"type": "integer", "minimum": 0}}
    for name, meaning in {
        "Retry-After": "In how many seconds to try again.",
        "RateLimit-Limit": "How many requests are taken at once, of those with the least left.",
        "RateLimit-Remaining": "How many of them are left.",
        "RateLimit-Reset": "In how many seconds all of them are there again.",
    }.items()
}


def document() -> bytes:
    """OpenAPI 3.1, as indented JSON that ends with a line break."""
    types = _types()
    schemas, components = msgspec.json.schema_components(types, ref_template=_REFERENCE)
    schema_of = dict(zip(types, schemas, strict=True))
    mark_required(
        components,
        answers=[t for t in types if t not in {route.body for route in ROUTES}],
        requests=[route.body for route in ROUTES if _is_body(route.body)],
    )
    paths: dict[str, Schema] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schema_of)
    for stream in STREAMS:
        paths[stream.path] = {"get": _streaming(stream, schema_of)}
    described = {
        "openapi": "3.1.0",
        "info": {
            "title": "chatd",
            "version": chatd.__version__,
            "description": "A server for durable AI agent chats.",
        },
        "tags": [{"name": tag.name, "description": tag.description} for tag in TAGS],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "responses": {
                name: {
                    "description": meaning,
                    **({"headers": _LEFT} if status == HTTPStatus.TOO_MANY_REQUESTS else {}),
                    "content": _json(schema_of[ErrorBody]),
                }
                for status, (name, meaning) in _REFUSALS.items()
            },
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": PLAIN_NAME,
                    "description": f"Of a browser that has signed in; over HTTPS it is `{SECURE_NAME}`.",
                },
                "guest": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "`Guest CODE`, with the code of a public link, and no other way in.",
                },
            },
        },
    }
    return msgspec.json.format(msgspec.json.encode(described), indent=2) + b"\n"


def _types() -> list[Any]:
    """Everything that is a body, each once."""
    mentioned = [t for route in ROUTES for t in (route.body, route.answer)]
    told = [stream.events for stream in STREAMS]
    return list(dict.fromkeys([t for t in mentioned if _is_body(t)] + [ErrorBody] + told))


def _is_body(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, Struct) and type_ not in NOT_JSON


def _operation(route: AnyRoute, schema_of: dict[Any, Schema]) -> Schema:
    operation: Schema = {
        **_called(route.method, route.path),
        "summary": route.summary,
        "parameters": [*_path_parameters(route.path), *_query_parameters(route.query)],
    }
    if route.body is Upload:
        operation["parameters"].append(_DISPOSITION)
        operation["requestBody"] = {
            "required": True,
            "description": _body_bytes(route),
            "content": _bytes(route.media_types),
        }
    elif route.body is not Nothing:
        operation["requestBody"] = {
            "required": not route.body_optional,
            "description": _body_bytes(route),
            "content": _json(schema_of[route.body]),
        }
    operation["responses"] = {str(route.status): _response(route, schema_of), **_refusals(route)}
    if route.deed is not Deed.ENTER:
        operation["security"] = OF_GUESTS if route.for_guests else WAYS_IN
    return operation


def _streaming(stream: AnyStream, schema_of: dict[Any, Schema]) -> Schema:
    return {
        **_called("GET", stream.path),
        "summary": stream.summary,
        "description": "Over WebSocket, text frames that are arrays of these events; otherwise Server-Sent "
        "Events, each with its cursor as `id` and its type as `event`.",
        "parameters": [*_path_parameters(stream.path), *_query_parameters(stream.query)],
        "responses": {
            "200": {
                "description": stream.summary,
                "content": {EVENT_STREAM: {"schema": schema_of[stream.events]}},
            },
            "101": {"description": "The same, over WebSocket."},
            **_refused(_refusals_of_stream(stream)),
        },
        "security": OF_GUESTS if stream.for_guests else WAYS_IN,
    }


def _refusals_of_stream(stream: AnyStream) -> list[int]:
    if stream.for_guests:
        return [400, 403, 404, 421, 429, 500, 503]
    return [400, 401, 403, *([404] if "{" in stream.path else []), 421, 429, 500, 503]


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


def _refusals(route: AnyRoute) -> Schema:
    refusals = _refused(refusals_of(route))
    if route.refused is as_json:
        return refusals
    text = _bytes(route.media_types)
    # A request for another host is answered before it reaches a route.
    return {
        status: refusal if status == "421" else {"description": _REFUSALS[int(status)][1], "content": text}
        for status, refusal in refusals.items()
    }


def _refused(statuses: list[int]) -> Schema:
    return {str(each): {"$ref": f"#/components/responses/{_REFUSALS[each][0]}"} for each in statuses}


def _called(method: str, path: str) -> Schema:
    operation = operation_of(method, path)
    return {"operationId": operation.name, "tags": [operation.tag]}


def _response(route: AnyRoute, schema_of: dict[Any, Schema]) -> Schema:
    response: Schema = {"description": route.summary}
    if route.answer is Raw:
        response["content"] = _json({})
    elif route.answer in (Download, Streamed):
        response["content"] = _bytes(route.media_types)
        if route.json is not None:
            response["content"] |= _json(schema_of[route.json])
    elif route.answer in schema_of:
        response["content"] = _json(schema_of[route.answer])
    return response


def _body_bytes(route: AnyRoute) -> str:
    usual = f"Up to {route.body_bytes_max // 1024} KiB"
    return (
        f"{usual}; up to {route.larger.bytes_max // 1024} KiB with a history."
        if route.larger
        else f"{usual}."
    )


def _bytes(media_types: tuple[str, ...]) -> Schema:
    """Text of some kind; a file that is JSON may be any JSON."""
    return {media: {"schema": {} if media == JSON else {"type": "string"}} for media in media_types}


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


def _path_parameters(path: str) -> list[Schema]:
    return [
        {"name": name, "in": "path", "required": True, "schema": _PATH_TYPES.get(name, {"type": "string"})}
        for name in re.findall(r"\{(\w+)\}", path)
    ]


def _query_parameters(query: type[Struct]) -> list[Schema]:
    _, components = msgspec.json.schema_components([query], ref_template=_REFERENCE)
    schema = components[query.__name__]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": property_}
        for name, property_ in schema["properties"].items()
    ]
