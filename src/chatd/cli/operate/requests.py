"""chatd show --requests: what was sent to models in the newest turn that was recorded, and what came back."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import asdict

from chatd.cli.context import run_loop, settings_from
from chatd.cli.operate.show import find
from chatd.cli.out import say, say_json
from chatd.domain.ids import ChatId
from chatd.domain.part import Json
from chatd.errors import NotFound
from chatd.kit.clock import SystemClock, rfc3339
from chatd.kit.text import one_line
from chatd.records.run import Attempt, Run, Step
from chatd.records.store import list_runs, read_run
from chatd.storage.migrate import check_schema
from chatd.storage.open import open_existing

NONE = "Nothing is recorded of this chat."
ADVICE = (
    "An administrator allows records (debug_records_allowed), its owner chooses them (debug_records), "
    "or CHATD_DEBUG_RECORDS=true records all chats; they begin with the next turn."
)


def run(chat_id: str, flags: Mapping[str, object], *, as_json: bool) -> None:
    newest, steps = run_loop(_read(settings_from(flags).database, ChatId(chat_id)))
    if as_json:
        say_json(asdict(newest) | {"steps": steps})
    else:
        say("\n".join(page(newest, steps)))


async def _read(url: str, chat_id: ChatId) -> tuple[Run, list[Step]]:
    async with open_existing(url, SystemClock()) as db:
        await check_schema(db)
        chat = (await find(db, chat_id)).chat
        runs = await list_runs(db, chat)
        found = await read_run(db, chat, runs[0].id) if runs else None
        if found is None:
            raise NotFound("nothing_recorded", f"{NONE} {ADVICE}")
        return found


def page(run: Run, steps: Sequence[Step]) -> Iterator[str]:
    yield f"Debug run {run.id} of chat {run.chat_id}"
    yield f"  {run.kind}, {run.status}, began {rfc3339(run.started_at)}"
    yield f"  answers {run.trigger_message_id}: {one_line(run.summary.first_message)}"
    for step in steps:
        yield ""
        yield f"Step {step.number}: {step.operation}, {step.status}, by {one_line(step.model)}"
        if step.error is not None:
            yield f"  failed: {one_line(step.error.message)}"
        if not step.attempts:
            yield from _indented(("Told", *_indented(_lines(step.request)), "Said"), 1)
            yield from _indented(_lines(step.response), 2)
        for number, attempt in enumerate(step.attempts, 1):
            yield from _indented(_attempt(number, attempt), 1)


def _attempt(number: int, attempt: Attempt) -> Iterator[str]:
    request, response = attempt.request, attempt.response
    yield f"Attempt {number}: {attempt.started_at}, {attempt.duration_ms} ms"
    yield f"  {one_line(request.method)} {one_line(request.url)}"
    yield from _indented(_headers(request.headers), 2)
    yield from _indented(_lines(request.body), 2)
    if response is not None:
        yield f"  {response.status}"
        yield from _indented(_headers(response.headers), 2)
        yield from _indented(_lines(response.body), 2)
    if attempt.error is not None:
        yield f"  {one_line(attempt.error)}"


def _headers(headers: Mapping[str, str]) -> Iterator[str]:
    return (f"{one_line(name)}: {one_line(value)}" for name, value in headers.items())


def _lines(body: Json) -> Iterator[str]:
    """JSON as people read it, and text line by line, without anything that a terminal would obey."""
    if body is None:
        return
    text = body if isinstance(body, str) else json.dumps(body, indent=2, ensure_ascii=False)
    for line in text.splitlines():
        yield "".join(each if each.isprintable() else " " for each in line).rstrip()


def _indented(lines: Iterable[str], depth: int = 1) -> Iterator[str]:
    return (f"{'  ' * depth}{line}".rstrip() for line in lines)
