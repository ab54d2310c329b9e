"""Files that are the same for everybody: kept in memory, compressed, and sent when they have changed."""

import gzip
from collections.abc import Mapping

from msgspec import Struct
from starlette.datastructures import Headers

NOT_MODIFIED = 304


class Asset(Struct, frozen=True, kw_only=True):
    # None: as `coded` has it with gzip. Every browser takes that, so that memory need not hold both.
    plain: bytes | None
    media_type: str
    cache_control: str
    # Without its quotes and without the coding: each form of a file has a tag of its own.
    tag: str
    # The same, compressed, by the name of the coding.
    coded: Mapping[str, bytes] = {}

    @property
    def data(self) -> bytes:
        return gzip.decompress(self.coded["gzip"]) if self.plain is None else self.plain


class Form(Struct, frozen=True):
    """What is sent of an asset to one caller."""

    status: int
    data: bytes
    headers: dict[str, str]


def form_for(asset: Asset, headers: Headers) -> Form:
    """In the best coding that the caller takes, or nothing if they have it already."""
    coding = next((each for each in asset.coded if _accepts(headers, each)), None)
    tag = f'"{asset.tag}-{coding}"' if coding else f'"{asset.tag}"'
    about = {"Cache-Control": asset.cache_control, "ETag": tag}
    if asset.coded:
        about["Vary"] = "Accept-Encoding"
    known = headers.get("if-none-match", "")
    if tag in (each.strip().removeprefix("W/") for each in known.split(",")):
        return Form(NOT_MODIFIED, b"", about)
    if coding:
        about["Content-Encoding"] = coding
    return Form(200, asset.coded[coding] if coding else asset.data, about)


def _accepts(headers: Headers, coding: str) -> bool:
    for each in headers.get("accept-encoding", "").split(","):
        name, _, weight = each.partition(";")
        if name.strip().lower() == coding:
            return weight.replace(" ", "").rstrip("0") not in ("q=", "q=0.")
    return False
