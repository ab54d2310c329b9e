"""Titles on demand: a person waits for one, and is told what stands in the way."""

from msgspec import Struct

from chatd.agent import metrics
from chatd.agent.texts.ask import ask
from chatd.agent.texts.kinds import TITLE
from chatd.agent.texts.rules import title_of
from chatd.agent.texts.services import TextServices, model_for
from chatd.agent.texts.writer import name_chat, unused, writes
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.message import Role, text
from chatd.domain.transitions.chat.charge_text import ChargeText
from chatd.domain.usage.charge import Charge
from chatd.errors import LimitReached, NotAllowed, NotFound, ProviderError, Refused
from chatd.providers.model import Model
from chatd.storage.reads.texts import Spoken, read_spoken
from chatd.storage.transactions.transact import Admit, Done, transact

# Of all users, beside those that are written after a turn.
AT_ONCE_MAX = 8

NO_TITLE = "The model answered with something that is no title. Try again, or choose another model."


class Proposal(Struct, frozen=True, kw_only=True):
    chat: Chat
    title: str
    charge: Charge | None = None


class Titles:
    def __init__(self, services: TextServices) -> None:
        self._services = services
        self._asking: set[ChatId] = set()

    async def propose(self, chat_id: ChatId) -> str:
        """A title, which is not kept. Raises Refused, and ProviderError when the model fails."""
        proposal = await self._proposed(chat_id)
        await self._pay(chat_id, proposal.charge)
        return proposal.title

    async def regenerate(self, chat_id: ChatId, admit: Admit | None = None) -> Done:
        """The chat with a new title. One that a person gives it meanwhile stays, and this is refused.

        `admit` raises when whoever asked for it may not give it one any more.
        """
        proposal = await self._proposed(chat_id)
        paid = (ChargeText(charge=proposal.charge),) if proposal.charge is not None else ()
        command = name_chat(proposal.chat, proposal.title)
        try:
            return await transact(self._services.store, chat_id, *paid, command, admit=admit)
        except Refused:
            await self._pay(chat_id, proposal.charge and unused(proposal.charge))
            raise

    async def _proposed(self, chat_id: ChatId) -> Proposal:
        if chat_id in self._asking or len(self._asking) >= AT_ONCE_MAX:
            raise LimitReached(
                "title_under_way",
                "A title for this chat is being written already, or too many for other chats.",
                limit=AT_ONCE_MAX,
                hint="Try again in a few seconds.",
            )
        self._asking.add(chat_id)
        try:
            return await self._write(chat_id)
        finally:
            self._asking.discard(chat_id)

    async def _write(self, chat_id: ChatId) -> Proposal:
        services = self._services
        spoken = await read_spoken(services.store.db, chat_id)
        if spoken is None:
            raise NotFound("chat_not_found", f"There is no chat {chat_id} any more.")
        chat, about = spoken.chat, TITLE.excerpt(spoken.messages)
        if not about:
            raise NotAllowed("nothing_said", "Nothing was said in this chat that a title could be made of.")
        wanted = await services.wanted()
        if not wanted.titles:
            raise NotAllowed(
                "titles_switched_off",
                "Titles by models are switched off on this server.",
                hint="Give the chat a title yourself, or ask an administrator.",
            )
        model = await model_for(services, wanted, chat.last_model, chat.owner_id)
        if not writes(model, TITLE, about):
            return Proposal(chat=chat, title=_first_words(spoken))
        return await self._asked(chat, model, about)

    async def _asked(self, chat: Chat, model: Model, about: str) -> Proposal:
        asked = await ask(self._services, chat, TITLE, model, about)
        title = title_of(asked.words)
        error = asked.error
        if error is None and title is None:
            error = ProviderError("generic", NO_TITLE, provider=model.provider)
        outcome = "written" if error is None else "failed"
        metrics.TEXTS.labels(*metrics.who(model), TITLE.operation.value, outcome).inc()
        if error is not None or title is None:
            await self._pay(chat.id, asked.charge and unused(asked.charge))
            raise error or ProviderError("generic", NO_TITLE)
        return Proposal(chat=chat, title=title, charge=asked.charge)

    async def _pay(self, chat_id: ChatId, charge: Charge | None) -> None:
        if charge is not None:
            await transact(self._services.store, chat_id, ChargeText(charge=charge))


def _first_words(spoken: Spoken) -> str:
    """What stands for a title where there is no model that understands what was said."""
    said = (title_of(text(each)) for each in spoken.messages if each.role is Role.USER)
    return next((title for title in said if title is not None), spoken.chat.title)
