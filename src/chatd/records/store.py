"""Debug records in the database. They are no part of any chat, and no decision reads them."""

from msgspec import Struct

from chatd.domain.chat import Chat
from chatd.domain.ids import SECOND, ChatId, MessageId, RunnerId
from chatd.kit.codec import Decoder, encode_text
from chatd.records.run import RecordStatus, Run, RunKind, RunSummary, Step, shown, shown_step
from chatd.storage.database import Connection, Database, Row

# Kept of one chat, whatever their age; a list shows all of them.
RUNS_MAX = 100
# Kept of one run: the newest. A turn may have many hundreds, each with much of the same in it.
STEPS_MAX = 200
# How many runs that are too old are deleted at once. Each recorder deletes more than it adds.
PURGED_MAX = 20
DAY_MICROS = 24 * 3600 * SECOND

_step = Decoder(Step)
_summary = Decoder(RunSummary)


class NewRun(Struct, frozen=True, kw_only=True):
    id: str
    chat_id: ChatId
    runner_id: RunnerId
    kind: RunKind
    provider: str
    model: str
    trigger_message_id: MessageId
    tip_message_id: MessageId


class Progress(Struct, frozen=True, kw_only=True):
    """How far a run has come."""

    summary: RunSummary
    tip_message_id: MessageId
    step: Step


async def open_run(db: Database, run: NewRun, *, retention_days: int) -> None:
    """Begin a run. One of this chat that is still open was left behind, and is closed; old ones go."""

    async def body(tx: Connection) -> None:
        if await tx.one("chat_to_record", run.chat_id) is None:
            return
        if run.kind is not RunKind.TEXT:
            # Beside a text, a turn may be under way.
            await tx.run("close_open_debug_runs", run.chat_id)
        await tx.run(
            "insert_debug_run",
            run.id,
            run.chat_id,
            run.runner_id,
            run.kind,
            run.provider,
            run.model,
            run.trigger_message_id,
            run.tip_message_id,
            encode_text(RunSummary()),
        )
        await tx.run("delete_surplus_debug_runs", run.chat_id, RUNS_MAX)
        if retention_days:
            await tx.run("delete_old_debug_runs", retention_days * DAY_MICROS, PURGED_MAX)

    await db.write(body)


async def save_progress(db: Database, run_id: str, progress: Progress) -> None:
    await db.write(lambda tx: _save(tx, run_id, progress))


async def close_run(db: Database, run_id: str, status: RecordStatus, last: Progress | None) -> None:
    """The run is over. Of what was under way, what is known is kept."""

    async def body(tx: Connection) -> None:
        if last is not None:
            await _save(tx, run_id, last)
        await tx.run("close_debug_run", run_id, status)

    await db.write(body)


async def list_runs(db: Database, chat: Chat) -> list[Run]:
    """The newest first."""

    async def body(tx: Connection) -> list[Run]:
        quiet = await _quiet_seconds(tx, chat)
        rows = await tx.all("debug_runs_of_chat", chat.id, RUNS_MAX)
        return [shown(_run(row), chat.lease, quiet) for row in rows]

    return await db.read(body)


async def read_run(db: Database, chat: Chat, run_id: str) -> tuple[Run, list[Step]] | None:
    async def body(tx: Connection) -> tuple[Run, list[Step]] | None:
        row = await tx.one("debug_run", run_id, chat.id)
        if row is None:
            return None
        run = shown(_run(row), chat.lease, await _quiet_seconds(tx, chat))
        steps = [_step.decode(step) for (step,) in await tx.all("debug_steps", run_id)]
        return run, [shown_step(run, step) for step in steps]

    return await db.read(body)


async def _quiet_seconds(tx: Connection, chat: Chat) -> float:
    """How long ago the chat changed, by the database's clock."""
    row = await tx.one("now")
    assert row is not None, "a database knows the time"
    now: int = row[0]
    return (now - chat.updated_at) / SECOND


async def _save(tx: Connection, run_id: str, progress: Progress) -> None:
    await tx.run("save_debug_run", run_id, encode_text(progress.summary), progress.tip_message_id)
    number = progress.step.number
    await tx.run("save_debug_step", run_id, number, encode_text(progress.step))
    if number > STEPS_MAX:
        await tx.run("delete_debug_steps_up_to", run_id, number - STEPS_MAX)


def _run(row: Row) -> Run:
    (
        id_,
        chat_id,
        runner_id,
        kind,
        status,
        provider,
        model,
        trigger_id,
        tip_id,
        summary,
        started_at,
        updated_at,
        finished_at,
    ) = row
    return Run(
        id=id_,
        chat_id=chat_id,
        runner_id=runner_id,
        kind=RunKind(kind),
        status=RecordStatus(status),
        provider=provider,
        model=model,
        trigger_message_id=trigger_id,
        tip_message_id=tip_id,
        summary=_summary.decode(summary),
        started_at=started_at,
        updated_at=updated_at,
        finished_at=finished_at,
    )
