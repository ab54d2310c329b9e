"""A thread that runs an event loop with an AsyncClient in it, for programs without a loop.

Calls and iterators hand their work over and wait; they may come from several threads.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

from chatd.client.asynchronous import AsyncClient
from chatd.client.follow import ATTEMPTS_MAX
from chatd.client.pages import P, Pages, with_rest

T = TypeVar("T")


class LoopThread:
    """The thread runs between `__enter__` and `__exit__`."""

    def __init__(self, base_url: str, token: str, *, attempts_max: int = ATTEMPTS_MAX) -> None:
        self._client = AsyncClient(base_url, token, attempts_max=attempts_max)
        self._loop: asyncio.AbstractEventLoop | None = None

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chatd client", daemon=True)
        self._thread.start()
        self._wait(self._client.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        self._wait(self._client.__aexit__(kind, error, trace))
        self._wait(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if self._loop is None or self._loop.is_closed():
            # Without a running loop the work is never done, and we would wait for ever.
            work.close()
            raise AssertionError("use the client as a context manager")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C ends our wait as well; the result is not wanted then.
            future.cancel()
            raise

    def _page(self, pages: Pages[P, Any]) -> P:
        page = self._wait(pages)
        return with_rest(page, lambda: self._each(pages.after(page)))

    def _each(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        try:
            while True:
                try:
                    item = self._wait(_next(items))
                except StopAsyncIteration:
                    return
                yield item
        finally:
            if self._loop is not None and not self._loop.is_closed():
                self._wait(items.aclose())


async def _next(items: AsyncGenerator[T, None]) -> T:
    return await anext(items)
