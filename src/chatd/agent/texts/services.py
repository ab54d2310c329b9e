"""What writing about chats works with."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec import Struct

from chatd.catalog.documents import Texts
from chatd.domain.ids import UserId
from chatd.kit.clock import Clock
from chatd.live.episodes.reply_bytes import ReplyBytes
from chatd.providers.model import Model, Models
from chatd.records.recorder import Recorder
from chatd.storage.transactions.transact import Store


class TextModels(Models, Protocol):
    async def find_exactly(self, name: str, owner_id: UserId) -> Model:
        """The model of this name, and no other in its place. Raises ProviderError when it cannot be used."""
        ...


async def in_no_line(user_id: UserId, provider: str) -> Callable[[], None]:  # noqa: ARG001
    return lambda: None


class TextServices(Struct, frozen=True, kw_only=True):
    # Without a driver: writing about a chat gives it no work.
    store: Store
    models: TextModels
    # What the administrators want, asked for each chat.
    wanted: Callable[[], Awaitable[Texts]]
    clock: Clock
    # What replies hold in memory, of all chats together.
    reply_bytes: ReplyBytes
    recorder: Recorder | None = None
    # A place of this user among the calls of a provider that have no answer yet, in one line with those of
    # turns. What comes back gives it back.
    place_to_ask: Callable[[UserId, str], Awaitable[Callable[[], None]]] = in_no_line


async def model_for(services: TextServices, wanted: Texts, chat_model: str | None, owner_id: UserId) -> Model:
    """The model that the administrators chose, else the chat's own. Raises ProviderError."""
    if wanted.model is not None:
        return await services.models.find_exactly(wanted.model, owner_id)
    return await services.models.find(chat_model, owner_id)
