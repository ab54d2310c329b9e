"""Streams. OpenAPI 3.1 has no word for them: the schema is that of one event."""

from collections.abc import Mapping
from typing import Any

from chatd.api.chats.streams.sse import EVENT_STREAM
from chatd.api.chats.streams.stream import AnyStream
from chatd.api.openapi.parameters import path_parameters, query_parameters
from chatd.api.openapi.refusals import refusals_of_stream, refused
from chatd.api.openapi.security import OF_GUESTS, WAYS_IN
from chatd.live.cursor import CURSOR_LENGTH_MAX

Schema = dict[str, Any]

_TOLD = (
    "Server-Sent Events, each with {heads}; a comment every 15 s shows that the server is there. Over "
    "WebSocket, text frames that are arrays of up to 256 events. Events of a type that you do not know may "
    "come: pass them over."
)
_TOLD_TO_USERS = _TOLD.format(heads="its `cursor` as `id` and its `type` as `event`")
_TOLD_TO_GUESTS = _TOLD.format(heads="its `type` as `event`") + " Who comes back is told everything anew."

# How a viewer comes back whose browser does it by itself.
_LAST_EVENT: Schema = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": CURSOR_LENGTH_MAX},
    "description": "As `cursor`, which counts if there are both. Browsers send it by themselves.",
}


def described_stream(stream: AnyStream, schema_of: Mapping[Any, Schema]) -> Schema:
    return {
        "summary": stream.summary,
        "description": _TOLD_TO_GUESTS if stream.for_guests else _TOLD_TO_USERS,
        "parameters": [
            *path_parameters(stream.path),
            *query_parameters(stream.query),
            *([] if stream.for_guests else [_LAST_EVENT]),
        ],
        "responses": {
            "200": {
                "description": "It does not end by itself. The `data` of an event is one of these, as JSON.",
                "content": {EVENT_STREAM: {"schema": schema_of[stream.events]}},
            },
            "101": {"description": "The same, over WebSocket."},
            **refused(refusals_of_stream(stream)),
        },
        "security": OF_GUESTS if stream.for_guests else WAYS_IN,
    }
