"""Lists that come in pages: one page, or everything that is listed, with a request for each page.

    page = await client.chats()              one page, as the server answers it
    async for chat in client.chats(): ...    every chat

Without an event loop a page is what a call returns, and iterating it goes on with the next ones.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr

from chatd.client.errors import Unreachable

T = TypeVar("T")
P = TypeVar("P", bound="Page[Any]")

Query = Mapping[str, object]

# More than any list has, even one entry to a page: a server that goes on for ever is not chatd.
PAGES_MAX = 1_000_000


class Page(Struct, Generic[T], frozen=True, kw_only=True, dict=True):
    """One page of a list."""

    @property
    def items(self) -> tuple[T, ...]:
        raise NotImplementedError

    def following(self, asked: Query) -> Query | None:
        """What to ask for the next page, after this was asked. None: it is the last one."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[T]:
        """Everything from this page on. Only of a page that a `Client` has returned."""
        rest: Callable[[], Iterator[T]] | None = self.__dict__.get("rest")
        if rest is None:
            raise TypeError("This page knows no others: iterate what the client returns, with `async for`.")
        return self._with(rest)

    def _with(self, rest: Callable[[], Iterator[T]]) -> Iterator[T]:
        yield from self.items
        yield from rest()


class CursorPage(Page[T], frozen=True, kw_only=True):
    """One that says where the next begins."""

    # The parameter that takes it.
    goes_to: ClassVar[str] = "cursor"

    next: str | None = None

    def following(self, asked: Query) -> Query | None:
        return None if self.next is None else {**asked, self.goes_to: self.next}


class Pages(Coroutine[Any, Any, P], Generic[P, T]):
    """Awaited, the first page; iterated, everything. It is a coroutine, so that it can be a task."""

    def __init__(self, ask: Callable[[Query], Coroutine[Any, Any, P]], query: Query) -> None:
        self._ask = ask
        self._query = query
        self._first: Coroutine[Any, Any, P] | None = None

    def __aiter__(self) -> AsyncIterator[T]:
        return self._all()

    async def _all(self) -> AsyncGenerator[T, None]:
        page = await self._ask(self._query)
        for each in page.items:
            yield each
        async for each in self.after(page):
            yield each

    async def after(self, page: P) -> AsyncGenerator[T, None]:
        """What the pages after the first one have. Each is asked for when the one before it was used up."""
        asked = self._query
        for _ in range(PAGES_MAX):
            following = page.following(asked)
            if following is None:
                return
            if following == asked:
                break
            asked, page = following, await self._ask(following)
            for each in page.items:
                yield each
        raise Unreachable("The server's list does not end: what answers there is not chatd.")

    def __await__(self) -> Generator[Any, None, P]:
        return self._coroutine.__await__()

    def send(self, value: Any, /) -> Any:
        return self._coroutine.send(value)

    def throw(self, *thrown: Any) -> Any:
        return self._coroutine.throw(*thrown)

    def close(self) -> None:
        if self._first is not None:
            self._first.close()

    @property
    def _coroutine(self) -> Coroutine[Any, Any, P]:
        """Made when it is first wanted: one that is only iterated was never begun."""
        if self._first is None:
            self._first = self._ask(self._query)
        return self._first


def with_rest(page: P, rest: Callable[[], Iterator[Any]]) -> P:
    """The same page, which can be iterated."""
    force_setattr(page, "rest", rest)
    return page
