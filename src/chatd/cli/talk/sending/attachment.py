"""Files to send along: what each of them is, by what is in it, since its name can be anything."""

from pathlib import Path

from msgspec import Struct

from chatd.errors import BadInput, Misconfigured


class Attachment(Struct, frozen=True):
    name: str
    media_type: str
    data: bytes


def read_attachment(file: str) -> Attachment:
    """Raises Misconfigured when it cannot be read, or is nothing that the server takes."""
    # Imported with the first file: most messages have none.
    from chatd.api.files.media import ACCEPTED, media_type_of  # noqa: PLC0415
    from chatd.kit.media_type import OCTETS  # noqa: PLC0415

    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise Misconfigured(f"Cannot read {file}: {error.strerror}.") from error
    name = Path(file).name
    try:
        return Attachment(name, media_type_of(data, OCTETS, name), data)
    except BadInput as error:
        pictures = ", ".join(each for each in ACCEPTED if each.startswith("image/"))
        raise Misconfigured(
            f"{file} is neither text in UTF-8 nor one of application/pdf, {pictures}."
        ) from error
