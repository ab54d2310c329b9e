"""Compaction, by the summarizer that the administrators chose or by the chat's own model."""

import structlog

from chatd.agent.compaction.summarize import summarize
from chatd.agent.hold import Hold
from chatd.domain.next_step import Limits
from chatd.errors import ProviderError
from chatd.providers.model import Model

log = structlog.get_logger()


async def compact(
    hold: Hold, model: Model, limits: Limits, *, requested: bool, room: int | None = None
) -> None:
    """Raises ProviderError when the chat's own model has failed: there is no other to ask.

    A summarizer that fails, for whatever reason and for however long, is no reason to fail a chat that has a
    model of its own. `room` is how much of the history fits into that model, where it has just been too much.
    """
    summarizer = await hold.services.summarizers.summarizer(hold.chat.owner_id)
    if summarizer is not None and summarizer.name != model.name and _fits(hold, summarizer):
        try:
            # How hard to think was said to another model.
            await summarize(hold, summarizer, limits, requested=requested, effort=None)
        except ProviderError as error:
            log.warning(
                "summarizer.failed",
                chat_id=hold.chat_id,
                model=summarizer.name,
                kind=error.kind,
                fault=error.fault,
                status=error.status_code,
                request_id=error.request_id,
            )
        else:
            return
    effort = hold.chat.last_effort
    await summarize(hold, model, limits, requested=requested, effort=effort, room=room)


def _fits(hold: Hold, summarizer: Model) -> bool:
    """By our estimate: a summarizer that was chosen later may find histories that it cannot read."""
    return hold.chat.projection.estimated_tokens < (summarizer.context_limit or float("inf"))
