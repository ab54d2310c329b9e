"""The body of an answer, unpacked and within a bound (pure)."""

import zlib
from collections.abc import Mapping

# Of zlib: gzip or zlib, whichever the first bytes tell; and without either's header, as some servers send it.
_GZIP_OR_ZLIB = 47
_RAW = -15
_WINDOWS: Mapping[str, int] = {"gzip": _GZIP_OR_ZLIB, "x-gzip": _GZIP_OR_ZLIB, "deflate": _GZIP_OR_ZLIB}
PLAIN = frozenset({"", "identity"})
# What is asked for.
ACCEPTED = "gzip, deflate"


class BadEncoding(Exception):
    """The body is packed in a way that is not known, or is not whole."""


class Body:
    """Takes bytes as they come, until `bytes_max` are there. A small body may be a large one, packed."""

    def __init__(self, encoding: str, bytes_max: int) -> None:
        encoding = encoding.strip().lower()
        if encoding not in PLAIN and encoding not in _WINDOWS:
            raise BadEncoding
        self._bytes_max = bytes_max
        self._data = bytearray()
        self._taken = 0
        window = _WINDOWS.get(encoding)
        self._unpack = zlib.decompressobj(window) if window is not None else None

    @property
    def data(self) -> bytes:
        return bytes(self._data)

    @property
    def is_full(self) -> bool:
        """Also of one that goes on without end and unpacks to nothing."""
        return len(self._data) >= self._bytes_max or self._taken >= self._bytes_max

    def take(self, piece: bytes) -> None:
        """Raises BadEncoding."""
        left = self._bytes_max - len(self._data)
        is_first, self._taken = not self._taken, self._taken + len(piece)
        if left <= 0:
            return
        self._data += piece[:left] if self._unpack is None else self._unpacked(piece, left, is_first=is_first)

    def _unpacked(self, piece: bytes, left: int, *, is_first: bool) -> bytes:
        assert self._unpack is not None
        try:
            return self._unpack.decompress(piece, left)
        except zlib.error as error:
            if not is_first:
                raise BadEncoding from error
        self._unpack = zlib.decompressobj(_RAW)
        try:
            return self._unpack.decompress(piece, left)
        except zlib.error as error:
            raise BadEncoding from error
