"""chatd audit: what was done on a server, for administrators and auditors."""

import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from chatd.cli.context import run_loop
from chatd.cli.out import say, say_aside, say_bytes, say_json, table
from chatd.cli.remote import client_from
from chatd.client import AsyncClient
from chatd.client.answers import AuditEntry
from chatd.errors import Unusable
from chatd.kit.codec import encode_text
from chatd.kit.text import one_line, shortened

T = TypeVar("T")

CHANGES_WIDTH = 80
FILTERS = ("actor", "deed", "target", "since", "until")
WRONG = 1


def ls(*, limit: int, as_json: bool, **flags: object) -> None:
    page = run_loop(_with_client(flags, lambda client: client.audit(limit=limit, **_wanted(flags))))
    if as_json:
        say_json(page)
        return
    rows = [_row(each) for each in page.entries]
    for line in table(("TIME", "WHO", "VIA", "DEED", "TARGET", "CHANGES"), rows):
        say(line)
    if page.next is not None:
        say_aside("There is more: --limit shows up to 1000, and `chatd audit export` all.")


def export(*, format: str, output: str | None, **flags: object) -> None:
    data = run_loop(_with_client(flags, lambda client: client.export_audit(format=format, **_wanted(flags))))
    if output is None or output == "-":
        say_bytes(data)
        return
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise Unusable(f"Cannot write {output}: {error.strerror}.") from error


def verify(*, as_json: bool, **flags: object) -> None:
    found = run_loop(_with_client(flags, lambda client: client.verify_audit()))
    if as_json:
        say_json(found)
    elif found.newest is None:
        say("Nothing is sealed yet: entries are, within about an hour.")
    elif found.intact:
        say(f"Intact: {found.entries} entries under {found.seals} seals, up to {found.newest.up_to}.")
        say_aside(f"Seal {found.newest.number} is {found.newest.hash}. Note it elsewhere, and compare.")
    else:
        numbers = ", ".join(map(str, found.broken))
        say(f"NOT intact. These seals do not fit the entries under them, or are missing: {numbers}.")
    if not found.intact:
        sys.exit(WRONG)


def _row(entry: AuditEntry) -> tuple[str, ...]:
    actor = (entry.actor.name or entry.actor.id) if entry.actor is not None else "-"
    if entry.on_behalf_of is not None:
        actor += f" for {entry.on_behalf_of.name or entry.on_behalf_of.id}"
    deed = entry.deed if entry.outcome == "done" else f"{entry.deed} ({entry.outcome})"
    changes = shortened(one_line(encode_text(entry.changes)), CHANGES_WIDTH) if entry.changes else ""
    moment = entry.at[:19].replace("T", " ")
    return (
        moment,
        one_line(actor),
        entry.via,
        deed,
        f"{entry.target_kind} {one_line(entry.target_name or entry.target_id)}",
        changes,
    )


def _wanted(flags: Mapping[str, object]) -> dict[str, Any]:
    wanted = {name: flags[name] for name in FILTERS if flags.get(name) is not None}
    return {**wanted, **({"outcome": "refused"} if flags.get("refused") else {})}


async def _with_client(flags: Mapping[str, object], do: Callable[[AsyncClient], Awaitable[T]]) -> T:
    async with client_from(flags) as client:
        return await do(client)
