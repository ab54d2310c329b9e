"""Which chats have an advisor, and on which terms: one answer, for the tool and for the guidance.

What administrators have set is read once for a turn. A change of theirs counts from the next one.
"""

from collections.abc import Sequence

import msgspec
import structlog

from chatd.agent.advisor.words import GUIDANCE
from chatd.catalog.catalog import Catalog
from chatd.catalog.documents import Advisor
from chatd.domain.chat import Chat
from chatd.domain.profile.chat_kind import ChatKind, kind_of
from chatd.domain.setup import Setup
from chatd.providers.model import Model
from chatd.tools.advisor import OUTPUT_TOKENS, Terms, advisor
from chatd.tools.tool import AnyTool

log = structlog.get_logger()


def may_consult(config: Advisor, kind: ChatKind) -> bool:
    """Not while planning or exploring, and children only where administrators want it."""
    if not config.enabled:
        return False
    return kind is ChatKind.ROOT or (kind is ChatKind.GENERAL_CHILD and config.for_children)


class Advising:
    """The advisor of the chats of a process."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def terms(self, chat: Chat, setup: Setup) -> Terms | None:
        """None: this chat has no advisor now."""
        try:
            config = await self._catalog.advisor()
        except msgspec.DecodeError as error:
            log.warning("advisor.unreadable", reason=str(error))
            return None
        if not may_consult(config, kind_of(chat, setup)):
            return None
        if config.max_uses_per_turn < 0 or config.max_output_tokens < 0:
            log.warning("advisor.unusable", chat_id=chat.id, reason="a stored limit is negative")
            return None
        return await self._terms(config)

    async def _terms(self, config: Advisor) -> Terms:
        terms = Terms(
            uses_max=config.max_uses_per_turn, max_output_tokens=config.max_output_tokens or OUTPUT_TOKENS
        )
        if config.model is None:
            return terms
        if not await self._catalog.can_call(config.model):
            # The choice was good when it was made. The chat's own model advises as well.
            log.warning("advisor.model_unusable", model=config.model)
            return terms
        return msgspec.structs.replace(terms, model=config.model, effort=config.reasoning_effort)

    async def tools(self, chat: Chat, _: Model, setup: Setup) -> Sequence[AnyTool]:
        terms = await self.terms(chat, setup)
        return (advisor(terms),) if terms is not None else ()

    async def guidance(self, chat: Chat, _: Model, setup: Setup) -> str:
        return GUIDANCE if await self.terms(chat, setup) is not None else ""
