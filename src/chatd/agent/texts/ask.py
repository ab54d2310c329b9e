"""One model call for a text about a chat: bounded in time, recorded, and with what it took."""

import asyncio
from contextlib import ExitStack, aclosing

from msgspec import Struct
from msgspec.structs import replace

from chatd.agent import metrics
from chatd.agent.generation.generate import refusal_of
from chatd.agent.generation.reply import Reply
from chatd.agent.hold.owner import check_served
from chatd.agent.texts.kinds import TextKind
from chatd.agent.texts.services import TextServices
from chatd.domain.chat import Chat, Lease
from chatd.domain.ids import RunnerId, WorkerId
from chatd.domain.message import Effort, text
from chatd.domain.usage.charge import Charge, Fate
from chatd.errors import ProviderError
from chatd.kit.clock import rfc3339
from chatd.kit.ids import new_id
from chatd.providers import failures
from chatd.providers.model import Model, Request, question
from chatd.records.recorder import Recording
from chatd.records.run import RecordStatus

_LINE = "-" * 16
# It drives no chat, and is the driver of no record.
_NO_WORKER = WorkerId("")


class Asked(Struct, frozen=True, kw_only=True):
    """Either words or an error. The charge is None when nothing was paid for."""

    words: str = ""
    error: ProviderError | None = None
    charge: Charge | None = None


async def ask(services: TextServices, chat: Chat, kind: TextKind, model: Model, about: str) -> Asked:
    """What the model writes about this excerpt of the chat. It is asked once; a failure is an answer too."""
    request = Request(
        messages=(question(f"{_LINE}\n{about}\n{_LINE}"),),
        system=(kind.instructions,),
        # A few words need no thinking, and thoughts would use up what may be said.
        effort=Effort.NONE,
        max_output_tokens=kind.output_tokens_max,
        chat_id=chat.id,
        purpose=kind.operation.value,
    )
    recording = Recording(services.recorder, chat.id, Lease(_NO_WORKER, RunnerId(new_id())))
    reply = Reply(lambda: rfc3339(services.clock.now_micros()), held=services.reply_bytes)
    answered = False
    limit = asyncio.timeout(kind.seconds)
    # Given back when the provider has begun to answer, or never will.
    place = ExitStack()
    try:
        async with limit, recording.call(chat, model, request, kind.operation) as call:
            place.callback(await services.place_to_ask(chat.owner_id, model.provider_id))
            await check_served(services.store.db, chat.owner_id)
            async with aclosing(model.stream(replace(request, tap=call))) as stream:
                async for events in stream:
                    place.close()
                    answered = True
                    for event in events:
                        reply.take(event)
            if reply.finished is None:
                raise failures.broke_off()
            if call is not None:
                call.finished(reply.draft(model), reply.finished)
    except (ProviderError, TimeoutError) as error:
        if isinstance(error, TimeoutError) and not limit.expired():
            raise
        failure = error if isinstance(error, ProviderError) else failures.failed("timeout")
        asked = Asked(
            error=failures.named(failure, model.provider),
            charge=_charge(kind, model, Fate.FAILED) if answered else None,
        )
    else:
        asked = _answer(kind, model, reply)
    finally:
        place.close()
        reply.release()
    await recording.end(RecordStatus.ERROR if asked.error is not None else RecordStatus.COMPLETED)
    return asked


def _answer(kind: TextKind, model: Model, reply: Reply) -> Asked:
    assert reply.finished is not None, "only a whole reply is an answer"
    metrics.count_usage(metrics.who(model), reply.finished.usage, reply.cost(model))
    draft = reply.draft(model)
    if (unusable := refusal_of(reply, draft, model)) is not None:
        fate, error = unusable
        return Asked(error=error, charge=_charge(kind, model, fate, reply))
    assert draft is not None, "a reply without a message is unusable"
    return Asked(words=text(draft), charge=_charge(kind, model, Fate.USED, reply))


def _charge(kind: TextKind, model: Model, fate: Fate, reply: Reply | None = None) -> Charge:
    """Without a history and an attempt: see `ChargeText`."""
    finished = reply.finished if reply is not None else None
    return Charge(
        history=0,
        attempt=0,
        model=model.name,
        operation=kind.operation.value,
        fate=fate,
        usage=finished.usage if finished is not None else None,
        cost=reply.cost(model) if reply is not None else None,
    )
