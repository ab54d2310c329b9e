"""A step that runs tools: a batch of calls becomes results, which enter the history together."""

from collections.abc import Sequence

import structlog

from chatd.agent.approvals.judging import judge_again
from chatd.agent.calls import journal
from chatd.agent.calls.batch_run import run_alone, run_at_once, run_in_order
from chatd.agent.calls.call_run import CallRun, Where
from chatd.agent.calls.keep_files import keep_files
from chatd.agent.generation.generate import begin_attempt
from chatd.agent.hold.hold import Hold
from chatd.domain.call import Call
from chatd.domain.message import Draft
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.judge_calls import JudgeCalls
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.kit.concurrency.tasks import to_the_end
from chatd.providers.model import Model
from chatd.storage.transactions.transact import Then
from chatd.tools.calls.batch import arrange
from chatd.workspaces.workspace import WorkspaceUnusable

PARALLEL_MAX = 8

log = structlog.get_logger()


async def run_tools(hold: Hold, calls: Sequence[Call], model: Model, then: Then) -> None:
    """Run what may run, keep each result at once, and commit them together in call order."""
    await hold.check_owner()
    toolbox = await hold.toolbox(model)
    toolbox.follow(hold.memory.prompt())
    batch = arrange(calls, exclusive=toolbox.exclusive, serial=toolbox.serial)
    if plans := await judge_again(hold, toolbox, [*batch.parallel, *batch.serial]):
        await hold.commit(JudgeCalls(message_id=calls[0].message_id, plans=plans), then=then)
        return
    attempt, episode = await begin_attempt(hold, model)
    where = await _where(hold)
    run = CallRun(hold, toolbox, model, episode, where)
    try:
        run.settle(calls, batch)
        parallel = [call for call in batch.parallel if call.id not in run.answers]
        serial = [call for call in batch.serial if call.id not in run.answers]
        notices = await keep_files(hold, where.workspace, [*parallel, *serial])
        finish: FinishCall | None = None
        if len(waiting := [*parallel, *serial]) == 1:
            # No other call is waited for, so its result is kept by the very commit that uses it.
            finish = await run_alone(run, waiting[0])
        else:
            await run_at_once(run, parallel, at_most=PARALLEL_MAX)
            await run_in_order(run, serial)
        if run.stopped is not None:
            raise run.stopped
        # Results come last: behind them the turn may be steered.
        drafts = (*notices, *(run.answers[call.id] for call in calls))
        await _commit(hold, drafts, finish, attempt, then)
    finally:
        episode.close()


async def _commit(
    hold: Hold, drafts: tuple[Draft, ...], finish: FinishCall | None, attempt: int, then: Then
) -> None:
    step = CommitStep(messages=drafts)
    if finish is None:
        await hold.commit(step, attempt=attempt, then=then)
        return
    # To the end: an interrupt while the database is away must not lose the result.
    await to_the_end(journal.commit_or_keep(hold, step, unless=finish, attempt=attempt, then=then))


async def _where(hold: Hold) -> Where:
    try:
        workspace = await hold.workspace()
    except WorkspaceUnusable as unusable:
        log.warning("workspace.unusable", chat_id=hold.chat_id, why=str(unusable))
        return Where(None, str(unusable))
    hold.keeps_files = workspace is not None and workspace.checkpoints is not None
    return Where(workspace)
