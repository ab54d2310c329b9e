"""The client for programs without an event loop: the same calls, which wait.

One thread runs a loop with an AsyncClient in it. Calls and iterators hand their work over and wait;
they may come from several threads.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from msgspec import UNSET, UnsetType

from chatd.client.answers import (
    AddedFile,
    Branch,
    Chat,
    ChatPage,
    DebugRun,
    Edited,
    Health,
    Message,
    MessagePage,
    Model,
    OwnKey,
    OwnSettings,
    Probe,
    Provider,
    Sent,
    Settings,
    Unreadable,
    UserPrompt,
)
from chatd.client.asynchronous import AsyncClient, Content
from chatd.client.events import Event, WatchEvent
from chatd.client.follow import ATTEMPTS_MAX

T = TypeVar("T")


class Client:
    """Talks to one server as one user. A context manager; what each call means, AsyncClient says."""

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

    def alive(self) -> Health:
        return self._wait(self._client.alive())

    def ready(self) -> Health:
        return self._wait(self._client.ready())

    def openapi(self) -> dict[str, Any]:
        return self._wait(self._client.openapi())

    def create_chat(
        self,
        content: Content,
        *,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        client_tools: Sequence[Mapping[str, Any]] | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
    ) -> Chat:
        return self._wait(
            self._client.create_chat(
                content,
                title=title,
                labels=labels,
                client_tools=client_tools,
                model=model,
                reasoning_effort=reasoning_effort,
            )
        )

    def chats(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        title: str | None = None,
        archived: bool | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> ChatPage:
        return self._wait(
            self._client.chats(limit=limit, cursor=cursor, title=title, archived=archived, labels=labels)
        )

    def chat(self, chat_id: str) -> Chat:
        return self._wait(self._client.chat(chat_id))

    def change_chat(
        self,
        chat_id: str,
        *,
        title: str | UnsetType = UNSET,
        labels: Mapping[str, str] | UnsetType = UNSET,
        archived: bool | UnsetType = UNSET,
        pin_order: int | UnsetType = UNSET,
    ) -> Chat:
        return self._wait(
            self._client.change_chat(
                chat_id, title=title, labels=labels, archived=archived, pin_order=pin_order
            )
        )

    def delete_chat(self, chat_id: str) -> None:
        self._wait(self._client.delete_chat(chat_id))

    def messages(
        self,
        chat_id: str,
        *,
        before_id: int | None = None,
        after_id: int | None = None,
        limit: int | None = None,
        branch: int | None = None,
    ) -> MessagePage:
        return self._wait(
            self._client.messages(chat_id, before_id=before_id, after_id=after_id, limit=limit, branch=branch)
        )

    def history(self, chat_id: str, *, after_id: int = 0) -> Iterator[Message]:
        return self._each(self._client.history(chat_id, after_id=after_id))

    def send(
        self,
        chat_id: str,
        content: Content,
        *,
        when: str | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
    ) -> Sent:
        return self._wait(
            self._client.send(chat_id, content, when=when, model=model, reasoning_effort=reasoning_effort)
        )

    def edit(
        self,
        chat_id: str,
        message_id: int,
        content: Content,
        *,
        model: str | None = None,
        reasoning_effort: str | None = None,
        queue: str | None = None,
    ) -> Edited:
        return self._wait(
            self._client.edit(
                chat_id, message_id, content, model=model, reasoning_effort=reasoning_effort, queue=queue
            )
        )

    def prompts(self, chat_id: str, *, limit: int | None = None) -> tuple[UserPrompt, ...]:
        return self._wait(self._client.prompts(chat_id, limit=limit))

    def branches(self, chat_id: str) -> tuple[Branch, ...]:
        return self._wait(self._client.branches(chat_id))

    def switch_branch(self, chat_id: str, branch: int) -> Chat:
        return self._wait(self._client.switch_branch(chat_id, branch))

    def delete_queued(self, chat_id: str, queued_id: int) -> None:
        self._wait(self._client.delete_queued(chat_id, queued_id))

    def promote_queued(self, chat_id: str, queued_id: int) -> Chat:
        return self._wait(self._client.promote_queued(chat_id, queued_id))

    def interrupt(self, chat_id: str) -> Chat:
        return self._wait(self._client.interrupt(chat_id))

    def compact(self, chat_id: str) -> Chat:
        return self._wait(self._client.compact(chat_id))

    def retry(self, chat_id: str) -> Chat:
        return self._wait(self._client.retry(chat_id))

    def submit(
        self,
        chat_id: str,
        *,
        results: Sequence[Mapping[str, Any]] = (),
        approvals: Sequence[Mapping[str, Any]] = (),
        answers: Sequence[Mapping[str, Any]] = (),
    ) -> Chat:
        return self._wait(self._client.submit(chat_id, results=results, approvals=approvals, answers=answers))

    def export(self, chat_id: str, *, format: str = "json") -> bytes:
        return self._wait(self._client.export(chat_id, format=format))

    def import_chat(self, exported: Mapping[str, Any]) -> Chat:
        return self._wait(self._client.import_chat(exported))

    def add_file(self, data: bytes, *, name: str, media_type: str) -> AddedFile:
        return self._wait(self._client.add_file(data, name=name, media_type=media_type))

    def file(self, file_id: str) -> bytes:
        return self._wait(self._client.file(file_id))

    def debug_runs(self, chat_id: str) -> tuple[DebugRun, ...]:
        return self._wait(self._client.debug_runs(chat_id))

    def debug_run(self, chat_id: str, run_id: str) -> DebugRun:
        return self._wait(self._client.debug_run(chat_id, run_id))

    def providers(self) -> tuple[Provider, ...]:
        return self._wait(self._client.providers())

    def unreadable_providers(self) -> tuple[Unreadable, ...]:
        return self._wait(self._client.unreadable_providers())

    def add_provider(self, type: str, name: str, **fields: Any) -> Provider:
        return self._wait(self._client.add_provider(type, name, **fields))

    def change_provider(self, provider_id: str, **fields: Any) -> Provider:
        return self._wait(self._client.change_provider(provider_id, **fields))

    def delete_provider(self, provider_id: str) -> None:
        self._wait(self._client.delete_provider(provider_id))

    def models(self) -> tuple[Model, ...]:
        return self._wait(self._client.models())

    def unreadable_models(self) -> tuple[Unreadable, ...]:
        return self._wait(self._client.unreadable_models())

    def add_model(
        self, provider_id: str, model: str, *, context_limit: int | None = None, **fields: Any
    ) -> Model:
        return self._wait(self._client.add_model(provider_id, model, context_limit=context_limit, **fields))

    def change_model(self, model_id: str, **fields: Any) -> Model:
        return self._wait(self._client.change_model(model_id, **fields))

    def delete_model(self, model_id: str) -> None:
        self._wait(self._client.delete_model(model_id))

    def test_model(self, model_id: str) -> Probe:
        return self._wait(self._client.test_model(model_id))

    def own_keys(self) -> tuple[OwnKey, ...]:
        return self._wait(self._client.own_keys())

    def set_own_key(self, provider: str, api_key: str) -> None:
        self._wait(self._client.set_own_key(provider, api_key))

    def delete_own_key(self, provider: str) -> None:
        self._wait(self._client.delete_own_key(provider))

    def settings(self) -> Settings:
        return self._wait(self._client.settings())

    def change_settings(self, **fields: Any) -> Settings:
        return self._wait(self._client.change_settings(**fields))

    def own_settings(self) -> OwnSettings:
        return self._wait(self._client.own_settings())

    def change_own_settings(self, **fields: Any) -> OwnSettings:
        return self._wait(self._client.change_own_settings(**fields))

    def metrics(self) -> str:
        return self._wait(self._client.metrics())

    def stream(self, chat_id: str, cursor: str | None = None) -> Iterator[Event]:
        """Leave it with a `break`, or close it; the connection is then given up."""
        return self._each(self._client.stream(chat_id, cursor))

    def watch(self, cursor: str | None = None) -> Iterator[WatchEvent]:
        return self._each(self._client.watch(cursor))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if self._loop is None or self._loop.is_closed():
            # Nobody would ever do the work, and we would wait for ever.
            work.close()
            raise AssertionError("use the client as a context manager")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # Also when somebody presses Ctrl-C while we wait: then nobody wants the result any more.
            future.cancel()
            raise

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
