"""Which files can be uploaded: text, pictures and PDFs that are what they say. Pure."""

from chatd.errors import BadInput
from chatd.kit.media_type import JSON, KNOWN, OCTETS, PLAIN, is_text, text_type, type_by_beginning

ACCEPTED = tuple(sorted({*KNOWN, PLAIN, "text/csv", "text/markdown", JSON}))


def media_type_of(data: bytes, declared: str, name: str) -> str:
    """The type to keep the file as. Raises BadInput when we do not take it, or it is not what it says.

    Text in UTF-8 is taken whatever it is called, source code and logs too. HTML and SVG can carry scripts:
    kept and served as plain text they are not run.
    """
    said = declared.partition(";")[0].strip().lower() or OCTETS
    found = type_by_beginning(data) or (PLAIN if is_text(data) else None)
    if found is None:
        raise _refused("The file is neither text in UTF-8 nor of another type that can be taken.")
    if found == PLAIN and said not in KNOWN:
        return text_type(data, name, said)
    if said not in (found, OCTETS):
        raise _refused(f"The file is not of the type {said[:80]!r}.")
    return found


def _refused(message: str) -> BadInput:
    return BadInput(
        "bad_file", message, field="Content-Type", hint=f"Send text, or one of {', '.join(sorted(KNOWN))}."
    )
