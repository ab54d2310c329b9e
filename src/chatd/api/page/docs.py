"""The page that describes the API to people, at `/api/docs`.

Its viewer is larger than the rest of the page, and most servers never show it: so it is read when it is first
asked for. Then all of it is, at once: what belongs together stays together, also if files are replaced.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from chatd.api.page.built import DOCS_DOCUMENT, assets_of, document_at, found_in, is_of_docs
from chatd.api.serving.assets import Asset

DOCS = "/api/docs"
# Below the root of the page.
_DEPTH = 1

NO_DOCS = (
    "The web page is not served here, nor is the description of the API for people that comes with it. The "
    "one for programs is at /api/v1/openapi.json.\n"
)


class Docs(Struct, frozen=True):
    document: Asset
    files: Mapping[str, Asset]

    def at(self, path: str) -> Asset | None:
        return self.document if path == DOCS else self.files.get(path.removeprefix("/"))


def read_docs(directory: Path) -> Docs | None:
    """None when they were not built."""
    found = found_in(directory, is_of_docs)
    document = found.pop(DOCS_DOCUMENT, None)
    if document is None:
        return None
    return Docs(document_at(document, _DEPTH), assets_of(found))
