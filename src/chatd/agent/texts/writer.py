"""Writes what is due about a chat, as good as it goes: whatever fails leaves things as they are."""

from collections.abc import Callable, Mapping

import msgspec
import structlog
from msgspec.structs import replace

from chatd.agent import metrics
from chatd.agent.texts.ask import Asked, ask
from chatd.agent.texts.due import Ended, due, is_listed, wants_label
from chatd.agent.texts.kinds import LABEL, SUMMARY, TITLE, TextKind
from chatd.agent.texts.rules import label_of_report
from chatd.agent.texts.services import TextServices, model_for
from chatd.agent.texts.transcript import report_of
from chatd.catalog.documents import Texts
from chatd.domain.chat import Chat
from chatd.domain.decision.fence import AtHistory
from chatd.domain.ids import ChatId
from chatd.domain.profile.texts import TurnLabel
from chatd.domain.transitions import Command
from chatd.domain.transitions.chat.charge_text import ChargeText
from chatd.domain.transitions.chat.label_turn import LabelTurn
from chatd.domain.transitions.chat.name_chat import NameChat
from chatd.domain.transitions.chat.summarize_chat import SummarizeChat
from chatd.domain.usage.charge import Charge, Fate
from chatd.errors import ProviderError, Refused, Stale
from chatd.providers.model import Model
from chatd.providers.scripted.script import text_step
from chatd.storage.reads.texts import Spoken, read_spoken
from chatd.storage.transactions.transact import transact

log = structlog.get_logger()

# How long a provider is left alone that wants fewer calls, unless it says itself; and at most.
PAUSE_SECONDS = 60.0
PAUSE_SECONDS_MAX = 300.0
PAUSING_KINDS = frozenset({"rate_limit", "overloaded", "usage_limit"})


def name_chat(chat: Chat, title: str) -> NameChat:
    return NameChat(title=title, instead_of=chat.title, chosen_by=chat.title_by)


def label_turn(chat: Chat, label: str) -> LabelTurn:
    return LabelTurn(label=TurnLabel(turn=chat.projection.turn_start, text=label))


def summarize_chat(_: Chat, summary: str) -> SummarizeChat:
    return SummarizeChat(summary=summary)


COMMANDS: Mapping[TextKind, Callable[[Chat, str], Command]] = {
    TITLE: name_chat,
    LABEL: label_turn,
    SUMMARY: summarize_chat,
}


class TextWriter:
    def __init__(self, services: TextServices) -> None:
        self._services = services
        # Providers that are left alone, and until when, in seconds of our clock. There are few providers.
        self._pauses: dict[str, float] = {}

    async def write(self, ended: Ended) -> None:
        """Everything that is due, by the chat as it is now. What another chat or a turn needs comes first:
        nothing is tried again.
        """
        if ended.chat.parent_id is not None:
            await self._label_report(ended.chat.id)
            return
        try:
            wanted = await self._services.wanted()
        except msgspec.DecodeError as error:
            log.warning("texts.unreadable_setting", reason=str(error))
            return
        if not due(ended.chat, wanted) or (model := await self._model(ended, wanted)) is None:
            return
        spoken = await read_spoken(self._services.store.db, ended.chat.id)
        if spoken is None:
            return
        for kind in due(spoken.chat, wanted):
            await self._write(kind, spoken, model)

    async def _model(self, ended: Ended, wanted: Texts) -> Model | None:
        """None: there is none, or it has nothing to write. Most turns of the scripted model end here, so
        nothing is read for them.
        """
        chat = ended.chat
        try:
            model = await model_for(self._services, wanted, chat.last_model, chat.owner_id)
        except ProviderError as error:
            log.info("texts.skipped", chat_id=chat.id, reason=error.message)
            return None
        return model if model.writes_texts or ended.scripted else None

    async def _write(self, kind: TextKind, spoken: Spoken, model: Model) -> None:
        chat = spoken.chat
        about = kind.excerpt(spoken.messages)
        if not about or not writes(model, kind, about) or self._is_paused(model):
            return
        asked = await ask(self._services, chat, kind, model, about)
        words = kind.accept(asked.words)
        if asked.error is not None:
            self._after_failure(model, asked.error)
        outcome = "failed" if asked.error is not None else "unfit"
        if words is not None and asked.error is None:
            outcome = "written" if await self._keep(kind, chat, words, asked.charge) else "stale"
        elif asked.charge is not None:
            await self._record(chat.id, unused(asked.charge))
        metrics.TEXTS.labels(*metrics.who(model), kind.operation.value, outcome).inc()
        log.info(
            "text.finished", chat_id=chat.id, text=kind.operation, outcome=outcome, **_facts(model, asked)
        )

    async def _keep(self, kind: TextKind, chat: Chat, words: str, charge: Charge | None) -> bool:
        """Whether it is still wanted: neither renamed nor overtaken meanwhile."""
        command = COMMANDS[kind](chat, words)
        # A title holds for the whole chat, whatever is said next.
        fence = None if kind is TITLE else AtHistory(chat.versions.history)
        paid = (ChargeText(charge=charge),) if charge is not None else ()
        try:
            await transact(self._services.store, chat.id, *paid, command, fence=fence)
        except (Stale, Refused):
            if charge is not None:
                await self._record(chat.id, unused(charge))
            return False
        return True

    async def _record(self, chat_id: ChatId, charge: Charge) -> None:
        try:
            await transact(self._services.store, chat_id, ChargeText(charge=charge))
        except Refused:
            pass  # The chat is gone, and its charges with it.

    async def _label_report(self, chat_id: ChatId) -> None:
        """A chat that works for another is labelled with what it reports: that takes no model."""
        spoken = await read_spoken(self._services.store.db, chat_id)
        if spoken is None:
            return
        chat = spoken.chat
        label = label_of_report(report_of(spoken.messages)) if is_listed(chat) and wants_label(chat) else None
        if label is not None:
            await self._keep(LABEL, chat, label, None)

    def _is_paused(self, model: Model) -> bool:
        return self._services.clock.monotonic() < self._pauses.get(model.provider_id, float("-inf"))

    def _after_failure(self, model: Model, error: ProviderError) -> None:
        if error.kind in PAUSING_KINDS:
            seconds = min(error.retry_after_seconds or PAUSE_SECONDS, PAUSE_SECONDS_MAX)
            self._pauses[model.provider_id] = self._services.clock.monotonic() + seconds


def writes(model: Model, kind: TextKind, about: str) -> bool:
    """Whether it has something to say: by itself, or because the script says so."""
    return model.writes_texts or bool(text_step(about, kind.operation.value))


def unused(charge: Charge) -> Charge:
    return replace(charge, fate=Fate.DISCARDED) if charge.fate is Fate.USED else charge


def _facts(model: Model, asked: Asked) -> dict[str, object]:
    error = asked.error
    facts: dict[str, object] = {"model": model.name}
    if error is not None:
        facts |= {"kind": error.kind, "fault": error.fault, "status": error.status_code}
    return facts
