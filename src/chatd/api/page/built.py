"""The web page as it was built: read once, when the server starts, and then served from memory.

A request only looks names up in a table, so that no path of a request ever reaches the file system.

The document is asked for at many addresses: `/`, `/sign-in`, `/chats/ID`. Its links are relative, because
only the browser knows below which path a proxy serves us. So there is a copy of it for each depth, whose
links begin with `./`, `../`, `../../`. That is also why there is no `<base>`, which the policy forbids.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from chatd.api.page.headers import ASK_EACH_TIME, FOR_EVER
from chatd.api.serving.assets import Asset
from chatd.errors import Unusable

# Where Vite writes it, and where it is in a wheel.
DIRECTORY = Path(__file__).resolve().parents[2] / "web"
DOCUMENT = "index.html"
# Files in here have a hash of their content in their name.
HASHED = "assets/"
# The description of the API, and what only it is made of: see docs.py.
DOCS_DOCUMENT = "docs.html"
DOCS_FILES = f"{HASHED}docs-"
# Their links are written for where they are shown.
DOCUMENTS = frozenset({DOCUMENT, DOCS_DOCUMENT})

# Of a file that was compressed when the page was built, best first.
CODINGS: Mapping[str, str] = {"br": ".br", "gzip": ".gz"}

FILES_MAX = 4000
ALL_BYTES_MAX = 64 * 1024 * 1024
# How many steps an address of the page may be below its root.
DEPTH_MAX = 8

MEDIA_TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}


class BuiltPage(Struct, frozen=True):
    """`documents` has the document for each depth; `files` all else, by its path without a slash before."""

    documents: tuple[Asset, ...]
    files: Mapping[str, Asset]
    # Where it was read, and where the description of the API is read when it is first asked for.
    directory: Path


def read_page(directory: Path = DIRECTORY, *, files_max: int = FILES_MAX) -> BuiltPage | None:
    """What is in this directory. None when no page was built. Raises Unusable when it is far too much."""
    found = found_in(directory, lambda name: not is_of_docs(name), files_max=files_max)
    document = found.pop(DOCUMENT, None)
    if document is None:
        return None
    documents = tuple(document_at(document, depth) for depth in range(DEPTH_MAX + 1))
    return BuiltPage(documents, assets_of(found), directory)


def is_of_docs(name: str) -> bool:
    return name.startswith((DOCS_DOCUMENT, DOCS_FILES))


def found_in(
    directory: Path, wanted: Callable[[str], bool], *, files_max: int = FILES_MAX
) -> dict[str, bytes | None]:
    """Files by their names. None: it is there compressed."""
    found: dict[str, bytes | None] = {}
    size = 0
    for path in _files_in(directory):
        name = path.relative_to(directory).as_posix()
        if not wanted(name):
            continue
        is_packed = path.with_name(path.name + CODINGS["gzip"]).is_file()
        data = None if is_packed and name not in DOCUMENTS else path.read_bytes()
        size += len(data or b"")
        if len(found) >= files_max or size > ALL_BYTES_MAX:
            raise Unusable(
                f"{directory} has more than {files_max} files or {ALL_BYTES_MAX // 2**20} MiB, which is no "
                "web page of chatd. Remove it, and build the page again."
            )
        found[name] = data
    return found


def assets_of(found: Mapping[str, bytes | None]) -> Mapping[str, Asset]:
    return {name: _asset(name, found) for name in found if Path(name).suffix in MEDIA_TYPES}


def _files_in(directory: Path) -> Iterator[Path]:
    """Regular files only: a link could lead anywhere."""
    if directory.is_symlink() or not directory.is_dir():
        return
    for path in sorted(directory.iterdir()):
        if path.is_symlink():
            continue
        if path.is_dir():
            yield from _files_in(path)
        elif path.is_file():
            yield path


def _asset(name: str, found: Mapping[str, bytes | None]) -> Asset:
    forms = ((coding, found.get(name + suffix)) for coding, suffix in CODINGS.items())
    coded = {coding: data for coding, data in forms if data is not None}
    plain = found[name]
    return Asset(
        plain=plain,
        media_type=MEDIA_TYPES[Path(name).suffix],
        cache_control=FOR_EVER if name.startswith(HASHED) else ASK_EACH_TIME,
        tag=_tag(plain if plain is not None else coded["gzip"]),
        coded=coded,
    )


def document_at(data: bytes | None, depth: int) -> Asset:
    assert data is not None, "a document is read as it is"
    data = data.replace(b'="./', b'="' + b"../" * depth) if depth else data
    return Asset(plain=data, media_type=MEDIA_TYPES[".html"], cache_control=ASK_EACH_TIME, tag=_tag(data))


def _tag(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
