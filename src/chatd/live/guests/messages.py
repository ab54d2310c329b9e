"""Messages as guests see them."""

from msgspec import Struct

from chatd.domain.message import Role
from chatd.live.guests.parts import GuestContent
from chatd.live.shapes import Moment


class GuestMessage(Struct, frozen=True, kw_only=True):
    """What was said, when, and by which role; not by whom. Its `id` is a word, not a number: numbers would
    count what guests are not shown.
    """

    id: str
    role: Role
    content: GuestContent
    created_at: Moment
