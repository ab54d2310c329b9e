"""chatd show --requests: the newest record of a chat, readable for a person and for a script."""

import json
from pathlib import Path

from chatd.domain.ids import ChatId, MessageId, RunnerId
from chatd.hints.memory import MemoryBus
from chatd.kit.clock import SystemClock
from chatd.records.run import (
    Attempt,
    Operation,
    ReceivedResponse,
    RecordStatus,
    RunKind,
    RunSummary,
    SentRequest,
    Step,
    StepError,
)
from chatd.records.store import NewRun, Progress, close_run, open_run
from chatd.storage.migrate import migrate
from chatd.storage.open import open_database
from chatd.storage.transactions.transact import Store, create_chat
from tests.cli.program import chatd, complaint
from tests.words import create, user

AT = "2027-01-15T08:00:00.000000Z"
STEP = Step(
    number=1,
    operation=Operation.REPLY,
    status=RecordStatus.ERROR,
    model="some/model",
    provider="some",
    history_version=1,
    started_at=AT,
    error=StepError(message="Some is overloaded."),
    attempts=(
        Attempt(
            started_at=AT,
            duration_ms=12,
            request=SentRequest(
                method="POST",
                url="https://example.com/v1",
                headers={"x-api-key": "[hidden]"},
                body={"model": "model", "messages": ["Grüße\x1b[2J"]},
            ),
            response=ReceivedResponse(
                status=529, headers={"content-type": "text/event-stream"}, body="data: a\n\x1b[2Jdata: b\n"
            ),
        ),
        Attempt(
            started_at=AT,
            duration_ms=1000,
            request=SentRequest(method="POST", url="https://example.com/v1"),
            error="TimeoutError",
        ),
    ),
)
SHOWN = """\
Debug run run of chat chat
  turn, error, began TIME
  answers 1: Hello?

Step 1: reply, error, by some/model
  failed: Some is overloaded.
  Attempt 1: 2027-01-15T08:00:00.000000Z, 12 ms
    POST https://example.com/v1
      x-api-key: [hidden]
      {
        "model": "model",
        "messages": [
          "Grüße\\u001b[2J"
        ]
      }
    529
      content-type: text/event-stream
      data: a
       [2Jdata: b
  Attempt 2: 2027-01-15T08:00:00.000000Z, 1000 ms
    POST https://example.com/v1
    TimeoutError
"""


async def a_chat(data_dir: Path, *, recorded: bool) -> None:
    data_dir.mkdir()
    async with open_database(f"sqlite:///{data_dir}/chatd.db", SystemClock()) as db:
        await migrate(db)
        await db.write(lambda tx: tx.run("insert_user", "owner", "owner", "member"))
        await create_chat(Store(db, MemoryBus()), create(user("Hello?")))
        if not recorded:
            return
        new = NewRun(
            id="run",
            chat_id=ChatId("chat"),
            runner_id=RunnerId("runner"),
            kind=RunKind.TURN,
            provider="some",
            model="some/model",
            trigger_message_id=MessageId(1),
            tip_message_id=MessageId(1),
        )
        summary = RunSummary(first_message="Hello?", step_count=1, has_error=True)
        last = Progress(summary=summary, tip_message_id=MessageId(1), step=STEP)
        await open_run(db, new, retention_days=30)
        await close_run(db, "run", RecordStatus.ERROR, last)


async def test_what_was_sent_and_what_came_back_is_shown_to_a_person(tmp_path: Path) -> None:
    await a_chat(tmp_path / "data", recorded=True)

    run = chatd(tmp_path, "show", "ch", "--requests", "--data-dir", "data")

    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    lines[1] = lines[1][: lines[1].index("began")] + "began TIME"
    assert lines == SHOWN.splitlines()


async def test_the_record_is_printed_for_a_script(tmp_path: Path) -> None:
    await a_chat(tmp_path / "data", recorded=True)

    printed = json.loads(chatd(tmp_path, "show", "chat", "--requests", "--json", "--data-dir", "data").stdout)

    assert (printed["id"], printed["status"]) == ("run", "error")
    assert printed["steps"][0]["attempts"][0]["response"]["status"] == 529


async def test_where_nothing_is_recorded_it_says_what_to_do(tmp_path: Path) -> None:
    await a_chat(tmp_path / "data", recorded=False)

    run = chatd(tmp_path, "show", "chat", "--requests", "--data-dir", "data")

    assert run.returncode == 1
    assert complaint(run).startswith("Nothing is recorded of this chat. An administrator allows records")
