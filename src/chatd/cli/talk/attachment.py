"""Files to send along: what each of them is, by what is in it, since its name can be anything."""

from pathlib import Path

from msgspec import Struct

from chatd.api.files.media import ACCEPTED, OCTETS, PLAIN, media_type_of
from chatd.errors import BadInput, Misconfigured

# The server takes no file of such a name, because browsers run what is in them. Sent as plain text, they get
# a name that says so.
MARKUP_ENDINGS = (".html", ".htm", ".xhtml", ".svg")


class Attachment(Struct, frozen=True):
    name: str
    media_type: str
    data: bytes


def read_attachment(file: str) -> Attachment:
    """Raises Misconfigured when it cannot be read, or is nothing that the server takes."""
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise Misconfigured(f"Cannot read {file}: {error.strerror}.") from error
    name = Path(file).name
    if (binary := _binary_type(data)) is not None:
        return Attachment(name, binary, data)
    if not _is_text(data):
        pictures = ", ".join(each for each in ACCEPTED if not each.startswith("text/"))
        raise Misconfigured(f"{file} is neither text in UTF-8 nor one of {pictures}.")
    # Whatever its name says, source code is text. The server finds out whether it is something better known.
    return Attachment(f"{name}.txt" if name.lower().endswith(MARKUP_ENDINGS) else name, PLAIN, data)


def _binary_type(data: bytes) -> str | None:
    try:
        found = media_type_of(data, OCTETS, name="")
    except BadInput:
        return None
    return found if found != PLAIN else None


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
