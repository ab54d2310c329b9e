"""Files as Converse takes them (pure).

Documents have names, which may hold few characters and must differ within a request. What was written of
older turns is never written again, so names are made distinct when the request is put together: the first
keeps its name, and the others count on from there.
"""

import re
from collections.abc import Mapping
from typing import Final

from chatd.domain.part import Json
from chatd.providers.request.wire_turn import Attachment

_IMAGES: Final[Mapping[str, str]] = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/jpg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
}
_DOCUMENTS: Final[Mapping[str, str]] = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}

_NAME_CHARACTERS_MAX = 180
_NAMELESS = "Document"
_FORBIDDEN: Final = re.compile(r"[^A-Za-z0-9()\[\]-]+")
# Ends the name of a document until the request is put together; no name that was allowed has it, and
# arguments that happen to look like a document do not either.
_MARK = "\x1f"
_WRITTEN_MARK = rb"\u001f"
_NAMES: Final = re.compile(rb'"name":"([^"\\]*)\\u001f"')


def file_block(file: Attachment) -> Json | None:
    """The block for this file; None if Converse does not take it."""
    media_type = file.media_type.partition(";")[0].strip().lower()
    # Encoded as base64 with everything else.
    source = {"bytes": file.data}
    if media_type in _IMAGES:
        return {"image": {"format": _IMAGES[media_type], "source": source}}
    form = _DOCUMENTS.get(media_type) or ("txt" if media_type.startswith("text/") else None)
    if form is None:
        return None
    return {"document": {"name": document_name(file.name) + _MARK, "format": form, "source": source}}


def document_name(name: str | None) -> str:
    return _FORBIDDEN.sub(" ", name or "").strip()[:_NAME_CHARACTERS_MAX].strip() or _NAMELESS


def with_distinct_names(items: bytes) -> bytes:
    """The items, where no two documents have one name."""
    if _WRITTEN_MARK not in items:
        return items
    taken: set[bytes] = set()

    def distinct(match: re.Match[bytes]) -> bytes:
        name = wanted = match[1]
        count = 1
        while name in taken:
            count += 1
            name = b"%s %d" % (wanted, count)
        taken.add(name)
        return b'"name":"%s"' % name

    return _NAMES.sub(distinct, items)
