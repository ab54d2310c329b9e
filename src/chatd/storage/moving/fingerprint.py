"""Whether two tables have the same rows, in whatever order they are read."""

from collections.abc import Sequence
from hashlib import blake2b

_DIGEST_BYTES = 32
_MODULUS = 2 ** (8 * _DIGEST_BYTES)


class Fingerprint:
    """A count, and the sum of the rows' digests: databases sort text differently, and a sum has no order."""

    def __init__(self) -> None:
        self.count = 0
        self._sum = 0

    def add(self, row: Sequence[object]) -> None:
        self.count += 1
        self._sum = (self._sum + _digest(row)) % _MODULUS

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and (self.count, self._sum) == (other.count, other._sum)

    __hash__ = None  # type: ignore[assignment]  # it grows


def _digest(row: Sequence[object]) -> int:
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for value in row:
        data = _bytes_of(value)
        # With its kind and its length: or else two columns could trade a piece without notice.
        digest.update(f"{type(value).__name__} {len(data)} ".encode())
        digest.update(data)
    return int.from_bytes(digest.digest(), "big")


def _bytes_of(value: object) -> bytes:
    match value:
        case None:
            return b""
        case bytes():
            return value
        case str():
            return value.encode("utf-8", "surrogatepass")
        case int():  # A truth value is one, too.
            return str(value).encode()
        case _:
            raise AssertionError(f"no column of ours holds a {type(value).__name__}")
