"""Cursors: a place in a list, as an opaque word that a caller hands back."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from chatd.api.bodies.fields import ID_MAX
from chatd.errors import BadInput
from chatd.kit.codec import encode
from chatd.kit.text import is_plain
from chatd.storage.reads.read import Place

T = TypeVar("T")

# In a search: the document before which the next page begins.
FoundPlace: TypeAlias = Annotated[int, Meta(ge=0, le=ID_MAX)]


def cursor_of(place: Place | FoundPlace) -> str:
    return urlsafe_b64encode(encode(place)).rstrip(b"=").decode("ascii")


def found_place_at(cursor: str) -> int:
    """The same for the cursor of a search."""
    return _decoded(cursor, msgspec.json.Decoder(FoundPlace))


def place_at(cursor: str) -> Place:
    """Raises BadInput for a word that is not one of ours."""
    place = _decoded(cursor, msgspec.json.Decoder(Place))
    storable = abs(place.pin_order) <= ID_MAX and abs(place.newest_first) <= ID_MAX
    if not storable or not is_plain(place.chat_id):
        raise _malformed()
    return place


def _decoded(cursor: str, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        padding = "=" * (-len(cursor) % 4)
        return decoder.decode(urlsafe_b64decode(cursor + padding))
    except (ValueError, msgspec.DecodeError) as error:
        raise _malformed() from error


def _malformed() -> BadInput:
    return BadInput(
        "bad_cursor",
        "This cursor does not come from a page of this list.",
        field="cursor",
        hint="Use `next` of the page before, unchanged, or leave it out to start again.",
    )
