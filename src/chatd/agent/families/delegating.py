"""Which chats may have others work for them: one answer, for the tools and for the prompt."""

import msgspec
import structlog

from chatd.agent.prompts.delegation import CHILD, DELEGATION, EXPLORING
from chatd.catalog.catalog import Catalog
from chatd.domain.chat import Chat
from chatd.domain.profile.chat_kind import ChatKind, kind_of
from chatd.domain.setup import Setup
from chatd.providers.model import Model

log = structlog.get_logger()


class Delegating:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def is_on(self, _: Chat, setup: Setup) -> bool:
        """Administrators decide for all chats, and the owner of each for it."""
        if not setup.delegation:
            return False
        try:
            return (await self._catalog.subagents()).enabled
        except msgspec.DecodeError as error:
            log.warning("subagents.unreadable", reason=str(error))
            return True

    async def guidance(self, chat: Chat, _: Model, setup: Setup) -> str:
        match kind_of(chat, setup):
            case ChatKind.ROOT | ChatKind.PLANNING_ROOT:
                return DELEGATION if await self.is_on(chat, setup) else ""
            case ChatKind.EXPLORE_CHILD:
                return EXPLORING
            case _:
                return CHILD
