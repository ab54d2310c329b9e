"""The API as an OpenAPI document, made from the routes and the bodies. The same on every machine."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

import chatd
from chatd.api.bodies import ErrorBody, Nothing
from chatd.api.failures import as_json
from chatd.api.openapi.examples import examples_of
from chatd.api.openapi.operations import TAGS, operation_of
from chatd.api.openapi.parameters import path_parameters, query_parameters
from chatd.api.openapi.refusals import REFUSALS, described_refusals, refusals_of, refused
from chatd.api.openapi.schemas import schemas_of
from chatd.api.openapi.security import OF_GUESTS, SCHEMES, WAYS_IN
from chatd.api.openapi.streams import described_stream
from chatd.api.router import AnyRoute, Download, Streamed
from chatd.api.routes import ROUTES, STREAMS
from chatd.api.serving.assets import NOT_MODIFIED, Asset
from chatd.api.serving.uploads import FIELD, FORM, Upload
from chatd.domain.people.deeds import Deed
from chatd.kit.disposition import HEADER_LENGTH_MAX
from chatd.kit.media_type import JSON, KNOWN, OCTETS

Schema = dict[str, Any]
SchemaOf = Mapping[Any, Schema]

_BINARY: Schema = {"type": "string", "format": "binary"}
# A form first: of several kinds of bodies, generators that know one take the first.
_UPLOADED: Schema = {
    FORM: {
        "schema": {
            "type": "object",
            "properties": {FIELD: {**_BINARY, "description": "The file, with its name and its type."}},
            "required": [FIELD],
        }
    },
    OCTETS: {"schema": _BINARY},
}
# What a file is called is said the way browsers say it.
_DISPOSITION: Schema = {
    "name": "Content-Disposition",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": HEADER_LENGTH_MAX},
    "description": "Only if the body is the file itself, and then it has to be there: the name of the file, "
    'of 1 to 255 characters, as in `attachment; filename="a.txt"`. `Content-Type` is then that of the file.',
}

INTRODUCTION = """\
A server for durable AI agent chats.

- **Who asks** is shown by a token, in the header `Authorization: Bearer TOKEN`, or by the cookie of a
  browser that has signed in. Guests show the code of a public link: `Authorization: Guest CODE`.
- **A refusal** is `{"error": {"code", "message", "field"?, "hint"?}}`: `code` is for programs, `message`
  for people, `field` says where in the request the problem is, and `hint` what to do next.
- **Unknown fields** and parameters of requests are refused. Answers may have more fields than are
  described here: pass them over.
- **Send once.** What makes a chat or a message takes a `key`, your own name for it: the same request
  again has no second effect.
- **Limits.** Answers to a known caller tell in `RateLimit-Remaining` how many requests are left.
"""

NOT_JSON = (Asset, Nothing, Download, Streamed, Upload)


def document() -> bytes:
    """OpenAPI 3.1, as indented JSON that ends with a line break."""
    schema_of, components = _shapes()
    paths: dict[str, Schema] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schema_of)
    for stream in STREAMS:
        paths[stream.path] = {"get": {**_called("GET", stream.path), **described_stream(stream, schema_of)}}
    described = {
        "openapi": "3.1.0",
        "info": {
            "title": "chatd",
            "version": chatd.__version__,
            "description": INTRODUCTION,
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
        },
        "tags": [{"name": tag.name, "description": tag.description} for tag in TAGS],
        "paths": paths,
        "components": {
            "schemas": components,
            "responses": described_refusals(schema_of[ErrorBody]),
            "securitySchemes": SCHEMES,
        },
    }
    return msgspec.json.format(msgspec.json.encode(described), indent=2) + b"\n"


def _shapes() -> tuple[SchemaOf, dict[str, Schema]]:
    """Of everything that is a body or an event."""
    requests = [route.body for route in ROUTES if _is_body(route.body)]
    mentioned = [*(route.answer for route in ROUTES), *(route.json for route in ROUTES), ErrorBody]
    answers = [each for each in mentioned if _is_body(each) and each not in requests]
    return schemas_of(answers=[*answers, *(stream.events for stream in STREAMS)], requests=requests)


def _is_body(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, Struct) and type_ not in NOT_JSON


def _operation(route: AnyRoute, schema_of: SchemaOf) -> Schema:
    operation: Schema = {
        **_called(route.method, route.path),
        "summary": route.summary,
        "parameters": [*path_parameters(route.path), *query_parameters(route.query)],
    }
    if route.body is Upload:
        operation["parameters"].append(_DISPOSITION)
        operation["requestBody"] = {
            "required": True,
            "description": _body_bytes(route),
            "content": _UPLOADED,
        }
    elif route.body is not Nothing:
        operation["requestBody"] = {
            "required": not route.body_optional,
            "description": _body_bytes(route),
            "content": {JSON: {"schema": schema_of[route.body], **examples_of(operation["operationId"])}},
        }
    operation["responses"] = {str(route.status): _response(route, schema_of), **_refusals(route)}
    if route.answer is Asset:
        operation["responses"][str(NOT_MODIFIED)] = {
            "description": "The caller has it, as `If-None-Match` says."
        }
    ways_in = OF_GUESTS if route.for_guests else WAYS_IN
    operation["security"] = ways_in if route.deed is not Deed.ENTER else []
    return operation


def _called(method: str, path: str) -> Schema:
    operation = operation_of(method, path)
    return {"operationId": operation.name, "tags": [operation.tag]}


def _refusals(route: AnyRoute) -> Schema:
    refusals = refused(refusals_of(route))
    if route.refused is as_json:
        return refusals
    text = _bytes(route.media_types)
    # A request for another host is answered before it reaches a route.
    return {
        status: refusal if status == "421" else {"description": REFUSALS[int(status)][1], "content": text}
        for status, refusal in refusals.items()
    }


def _response(route: AnyRoute, schema_of: SchemaOf) -> Schema:
    response: Schema = {"description": route.summary}
    if route.answer in (Asset, Download, Streamed):
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
    return {media: {"schema": _kind_of(media)} for media in media_types}


def _kind_of(media_type: str) -> Schema:
    """Bytes, text of some kind, or a file that is JSON, which may be any."""
    if media_type in KNOWN:
        return _BINARY
    return {} if media_type == JSON else {"type": "string"}


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}
