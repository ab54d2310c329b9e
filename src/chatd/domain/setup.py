"""What a chat is set up with."""

from msgspec import Struct

from chatd.domain.part import Json


class ClientTool(Struct, frozen=True, kw_only=True):
    """A tool that the caller of the API offers and runs."""

    name: str
    description: str = ""
    input_schema: Json = None
