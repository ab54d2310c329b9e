"""Files agree with the ledger: what happens once is written once, and a restore brings back the right."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from chatd.domain.call import Call, CallState
from chatd.domain.ids import ChatId, MessageId
from chatd.storage.reads.read import Everything
from tests.simulation.chaos import Violation
from tests.simulation.checks.answers import answer_to
from tests.simulation.people.answers import Decisions
from tests.simulation.servers.disk import BroughtBack, CallName, Change, Content, Disk
from tests.simulation.work import JOT, LOG, Restore

# Calls that never ran: nobody has decided on them, or somebody said no.
UNBEGUN = (CallState.OPEN, CallState.NEEDS_APPROVAL, CallState.DENIED)


def check_work(
    disk: Disk, decisions: Decisions, restores: Sequence[Restore], chats: Mapping[ChatId, Everything]
) -> None:
    jotted = Counter(change.by for change in disk.changes if change.by is not None)
    ledger = {
        CallName(stored.chat.id, call.message_id, call.id): (call, stored)
        for stored in chats.values()
        for call in stored.calls
        if call.tool == JOT
    }
    if unknown := jotted.keys() - ledger.keys():
        raise Violation(f"files were changed by calls that the ledger does not have: {unknown}")
    for name, (call, stored) in ledger.items():
        _is_written_once(name, call, stored, jotted[name])
    _is_written_with_leave(disk, decisions)
    for content in disk.contents.values():
        if twice := [line for line, n in Counter(content.get(LOG, b"").splitlines()).items() if n > 1]:
            raise Violation(f"a file has something twice: {twice}")
    for restore in restores:
        _is_brought_back(restore, disk, chats[ChatId(restore.chat_id)])


def _is_written_once(name: CallName, call: Call, stored: Everything, times: int) -> None:
    answer = answer_to(call, stored.messages)
    if times > 1:
        raise Violation(f"ran more than once, and wrote each time: {name}")
    if times and call.state in UNBEGUN:
        raise Violation(f"{name} has written to a file, and the ledger has it as {call.state}")
    if not times and answer is not None and answer.result == f"ran {_command(call)}":
        raise Violation(f"{name} is said to have written to a file, and has not")


def _command(call: Call) -> str:
    return str(call.args["command"]) if isinstance(call.args, dict) else ""


def _is_written_with_leave(disk: Disk, decisions: Decisions) -> None:
    """That `jot` ran with leave is checked with the other commands."""
    for change in disk.changes:
        if change.by is not None:
            continue
        command = f"write {change.path}"
        if not any(a.allowed and a.command == command and a.at <= change.at for a in decisions.sent):
            raise Violation(f"{change.path} was written without an approval")


def _is_brought_back(restore: Restore, disk: Disk, stored: Everything) -> None:
    """The files are as they were before the first change by what came after that message."""
    if restore.code == "not_kept":
        raise Violation(f"files are kept before each change, and {restore} was refused")
    changes = list(_numbered(disk, stored))
    if restore.status != 200 or not _in_order(changes):
        return
    done = [each for each in disk.restores if each.chat_id == stored.chat.id]
    expected = _before(changes, MessageId(restore.message_id), until=restore.asked)
    for each in done:
        if _is_of(each, restore) and expected is not None and each.after != expected:
            raise Violation(f"{restore} brought back {each.after} instead of {expected}")


def _is_of(done: BroughtBack, restore: Restore) -> bool:
    """Of what was done at the very moment of asking, something else may be the one before."""
    just_asked = done.at == restore.asked and done.message_id != restore.message_id
    return restore.asked <= done.at <= restore.told and not just_asked


def _before(
    changes: Sequence[tuple[MessageId, Change]], message_id: MessageId, *, until: float
) -> Content | None:
    found = (change.before for number, change in changes if number >= message_id and change.at < until)
    return next(found, None)


def _numbered(disk: Disk, stored: Everything) -> Iterator[tuple[MessageId, Change]]:
    """The changes of a chat in its own workspace, each with the message of its call."""
    written = {
        str(call.args.get("path")): call.message_id
        for call in stored.calls
        if call.tool == "write_file" and isinstance(call.args, dict)
    }
    for change in disk.changes:
        if change.directory == stored.setup.workspace:
            yield change.by.message_id if change.by is not None else written[change.path], change


def _in_order(changes: Sequence[tuple[MessageId, Change]]) -> bool:
    """A process that stood still may change a file when another is further: then no state is the right."""
    return all(before <= after for (before, _), (after, _) in pairwise(changes))
