"""What was sent to models and what came back: for a chat's owner, and more of it for administrators."""

from msgspec.structs import replace

from chatd.api.bodies import Nothing
from chatd.api.chats.inspection.debug_bodies import DebugRunList, DebugRunView
from chatd.api.chats.permitted import permitted
from chatd.api.router import Asked
from chatd.domain.chat import Chat
from chatd.domain.people.deeds import Deed
from chatd.errors import NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain
from chatd.records.audience import run_for, step_for
from chatd.records.run import Run
from chatd.records.store import list_runs, read_run


async def list_(asked: Asked[Nothing, Nothing]) -> DebugRunList:
    seen = await permitted(asked)
    chat, shows_wire = seen.chat, asked.may(Deed.CHAT_WIRE, seen)
    runs = await list_runs(asked.store.db, chat)
    return DebugRunList(runs=tuple(_view(chat, run_for(run, shows_wire=shows_wire)) for run in runs))


async def show(asked: Asked[Nothing, Nothing]) -> DebugRunView:
    seen = await permitted(asked)
    chat, shows_wire = seen.chat, asked.may(Deed.CHAT_WIRE, seen)
    run_id = asked.path["run_id"]
    found = await read_run(asked.store.db, chat, run_id) if is_plain(run_id) else None
    if found is None:
        raise NotFound(
            "debug_run_not_found",
            f"This chat has no debug run {run_id!r}.",
            hint="GET …/debug/runs lists the runs of this chat.",
        )
    run, steps = found
    return replace(
        _view(chat, run_for(run, shows_wire=shows_wire)),
        steps=tuple(step_for(step, shows_wire=shows_wire) for step in steps),
    )


def _view(chat: Chat, run: Run) -> DebugRunView:
    return DebugRunView(
        id=run.id,
        chat_id=run.chat_id,
        parent_chat_id=chat.parent_id,
        root_chat_id=chat.root_id,
        kind=run.kind,
        status=run.status,
        provider=run.provider,
        model=run.model,
        trigger_message_id=run.trigger_message_id,
        tip_message_id=run.tip_message_id,
        summary=run.summary,
        started_at=rfc3339(run.started_at),
        updated_at=rfc3339(run.updated_at),
        finished_at=rfc3339(run.finished_at) if run.finished_at is not None else None,
    )
