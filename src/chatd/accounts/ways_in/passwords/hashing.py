"""Passwords as argon2id keeps them. To check one takes memory and time on purpose: few are checked at once.

`argon2-cffi` is an extra, and is imported in the thread that first needs it.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from chatd.accounts.ways_in.passwords.rules import normalised
from chatd.errors import LimitReached, Misconfigured

if TYPE_CHECKING:
    from argon2 import PasswordHasher

T = TypeVar("T")

MEMORY_KIB, PASSES, LANES = 19 * 1024, 2, 1
# Each takes 19 MiB and one core for some hundredths of a second.
CHECKS_MAX = 4
# Beyond these, who comes is told to come back.
WAITING_MAX = 64

# Of random bytes that nobody has kept: what is compared where there is no password, so that it takes as long.
NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$UXoWSRHH/kuvy8td9Txq6Q$r3Me0MYa7zdAFDlkPv5KFq3lvM2Dbr8RyhBwthT4ufo"


def check_installed() -> None:
    """Raises Misconfigured."""
    if find_spec("argon2") is None:
        raise Misconfigured(
            "`passwords` needs the extra of that name: pip install 'chatd[passwords]', or leave it out."
        )


class Compared(Struct, frozen=True):
    is_right: bool
    # It was kept with other parameters than we use now.
    is_old: bool = False


class Passwords:
    """Hashes and compares, in threads of its own."""

    def __init__(self, hasher: "Callable[[], PasswordHasher] | None" = None) -> None:
        """`hasher` is called in a thread, where it may take its time to be imported."""
        self._hasher = hasher or _hasher
        # No thread is started before it is needed.
        self._threads = ThreadPoolExecutor(CHECKS_MAX, thread_name_prefix="password")
        self._under_way = 0

    async def hashed(self, password: str) -> str:
        return await self._in_thread(lambda: self._hasher().hash(_bytes(password)))

    async def compared(self, stored: str | None, password: str) -> Compared:
        """Takes as long where nothing is stored."""
        return await self._in_thread(lambda: _compared(self._hasher(), stored, password))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if self._under_way >= WAITING_MAX:
            raise LimitReached(
                "server_busy",
                f"The server compares {WAITING_MAX} passwords already.",
                limit=WAITING_MAX,
                hint="Try again in a few seconds.",
            )
        self._under_way += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._under_way -= 1


def _compared(hasher: "PasswordHasher", stored: str | None, password: str) -> Compared:
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - an extra

    try:
        hasher.verify(stored if stored is not None else NOBODYS, _bytes(password))
    except (VerificationError, InvalidHashError):
        return Compared(is_right=False)
    return Compared(stored is not None, is_old=stored is not None and hasher.check_needs_rehash(stored))


@cache
def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher  # noqa: PLC0415 - an extra

    return PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=LANES)


def _bytes(password: str) -> bytes:
    return normalised(password).encode("utf-8", "surrogatepass")
