"""Every command in every combination of the three facts, against the cells of the specification.

SPEC is the table of `spec/state-machine.md` section 6, in that document's letters. OURS has what
the design adds or changes, each with its reason. A combination that neither covers must be refused;
a landing that no example reaches fails the test, so no cell can be written down and forgotten.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import pytest
from msgspec.structs import replace

from chatd.domain import machine
from chatd.domain.approvals.rule import AddRule, KeptRule, Rule, Verdict
from chatd.domain.call import Call, CallState, Effect, Kind
from chatd.domain.chat import Chat, Situation, Status
from chatd.domain.decision.change import Details
from chatd.domain.decision.locked import LockedChat, MessageHead, Past
from chatd.domain.decision.projection import Projection
from chatd.domain.decision.versions import Versions
from chatd.domain.ids import BranchId, CallId, ChatId, MessageId, Micros, QueuedId
from chatd.domain.message import Queued, Role, Visibility
from chatd.domain.profile.texts import TitleBy, TurnLabel
from chatd.domain.transitions import TRANSITIONS, Command
from chatd.domain.transitions.calls.expire_request import ExpireRequest
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.judge_calls import JudgeCalls
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.calls.submit_actions import Answer, Result, SubmitActions
from chatd.domain.transitions.chat.add_child import AddChild
from chatd.domain.transitions.chat.archive import Archive, Unarchive
from chatd.domain.transitions.chat.change_access import ChangeAccess
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.chat.charge_text import ChargeText
from chatd.domain.transitions.chat.create_chat import CreateChat
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.chat.label_turn import LabelTurn
from chatd.domain.transitions.chat.name_chat import NameChat
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.chat.summarize_chat import SummarizeChat
from chatd.domain.transitions.messages.delete_queued import DeleteQueued
from chatd.domain.transitions.messages.edit_message import EditMessage, QueueOnEdit
from chatd.domain.transitions.messages.note_restore import NoteRestore
from chatd.domain.transitions.messages.promote_queued import PromoteQueued
from chatd.domain.transitions.messages.reorder_queue import ReorderQueue
from chatd.domain.transitions.messages.send_message import When
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.ownership.release import Release
from chatd.domain.transitions.ownership.repair import Repair
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_charges import RecordCharges
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.domain.usage.charge import Charge, Fate
from chatd.domain.workspace.context import Context
from chatd.errors import InvalidState, NotAllowed
from tests.words import (
    OWNER,
    answers,
    asks_first,
    call,
    failure,
    lease,
    result,
    retry,
    said,
    says,
    send,
    step,
)

W = Situation(Status.WAITING)
E0, E1 = Situation(Status.ERROR), Situation(Status.ERROR, queued=True)
R0, R1 = Situation(Status.RUNNING), Situation(Status.RUNNING, queued=True)
I0, I1 = Situation(Status.INTERRUPTING), Situation(Status.INTERRUPTING, queued=True)
A0, A1 = Situation(Status.REQUIRES_ACTION), Situation(Status.REQUIRES_ACTION, queued=True)
XW, XE0, XE1 = (replace(situation, archived=True) for situation in (W, E0, E1))
LETTERS = {
    "W": W, "E0": E0, "E1": E1, "R0": R0, "R1": R1, "I0": I0, "I1": I1, "A0": A0, "A1": A1,
    "XW": XW, "XE0": XE0, "XE1": XE1,
}  # fmt: skip
EVERY_SITUATION = [Situation(*facts) for facts in product(Status, (False, True), (False, True))]

SPEC = """
                          | W   | E0  | E1    | R0 | R1    | I0 | I1    | A0 | A1
  SendMessage queue       | R0  | R0  | R1    | R1 | R1    | I1 | I1    | A1 | A1
  SendMessage interrupt   | R0  | R0  | R1    | I1 | I1    | I1 | I1    | R1 | R1
  RequestCompaction       | R0  | R0  | R1    |    |       |    |       |    |
  DeleteQueued            |     |     | E0/E1 |    | R0/R1 |    | I0/I1 |    | A0/A1
  PromoteQueued           |     |     | R0/R1 |    | I1    |    | I1    |    | R0/R1
  Interrupt               |     |     |       | I0 | I1    |    |       | R0 | R1
  SubmitActions           |     |     |       |    |       |    |       | R0 | R1
  ExpireRequest           |     |     |       |    |       |    |       | R0 | R1
  BeginAttempt            |     |     |       | R0 | R1    |    |       |    |
  RecordRetry             |     |     |       | R0 | R1    |    |       |    |
  CommitStep              |     |     |       | R0 | R1    |    |       |    |
  RequireAction           |     |     |       | A0 | A1    |    |       |    |
  FinishTurn              |     |     |       | W  | R0/R1 |    |       |    |
  FailTurn                | E0  |     |       | E0 | E1    |    |       |    |
  FinishInterruption      |     |     |       |    |       | W  | R0/R1 |    |
  Archive                 | XW  | XE0 | XE1   |    |       |    |       |    |
"""

# Steering: at a step boundary steered messages leave the queue, so a backlog may be gone afterwards.
# Partial answers: a chat that waits for several may go on waiting for the rest.
# An edit keeps the queue, unless it is told to drop it: what waits was acknowledged.
# A stop of a chat that waits for somebody does not ask the model once more (decision 0024).
OURS = """
                          | W   | E0  | E1    | R0 | R1    | I0 | I1    | A0    | A1
  EditMessage             | R0  | R0  | R0/R1 | R0 | R0/R1 | R0 | R0/R1 | R0    | R0/R1
  SendMessage steer       | R0  | R0  | R1    | R1 | R1    | I1 | I1    | A1    | A1
  CommitStep steered      |     |     |       | R0 | R0    |    |       |       |
  SubmitActions steered   |     |     |       |    |       |    |       | R0    | R0
  SubmitActions partial   |     |     |       |    |       |    |       | A0    | A1
  ExpireRequest steered   |     |     |       |    |       |    |       | R0    | R0
  ExpireRequest partial   |     |     |       |    |       |    |       | A0    | A1
  Interrupt               |     |     |       | I0 | I1    |    |       | W     | R0/R1
  SendMessage interrupt   | R0  | R0  | R1    | I1 | I1    | I1 | I1    | R0    | R1
  ReorderQueue            |     |     | E1    |    | R1    |    | I1    |       | A1
  RetryTurn               |     | R0  | R1    | R0 | R1    |    |       |       |
  SwitchBranch            | W   | W   |       |    |       |    |       |       |
  NoteRestore             | W   | E0  | E1    |    |       |    |       |       |
  JudgeCalls              |     |     |       | R0 | R1    |    |       |       |
  StartCalls              |     |     |       | R0 | R1    |    |       |       |
  LabelTurn               | W   |     |       |    |       |    |       |       |
  FinishCall              |     | E0  | E1    | R0 | R1    | I0 | I1    | A0    | A1
"""

ARCHIVED = """
                          | XW  | XE0 | XE1
  Unarchive               | W   | E0  | E1
"""

Cells = Mapping[tuple[str, Situation], frozenset[Situation]]


def read_table(text: str) -> Iterator[tuple[tuple[str, Situation], frozenset[Situation]]]:
    heading, *rows = [line.split("|") for line in text.strip("\n").splitlines()]
    columns = [LETTERS[cell.strip()] for cell in heading[1:]]
    for name, *cells in rows:
        for situation, cell in zip(columns, cells, strict=True):
            letters = [letter.strip() for letter in cell.split("/") if letter.strip()]
            yield (name.strip(), situation), frozenset(LETTERS[letter] for letter in letters)


ANYWHERE = (
    "Acquire", "Release", "DescribeChat", "ChangeRules", "PinContext", "NoteContext", "RecordCharges",
    "ChargeText", "NameChat", "SummarizeChat", "AddChild", "ChangeAccess",
)  # fmt: skip
EXPECTED: Cells = {
    **dict(read_table(SPEC)),
    **dict(read_table(OURS)),
    **dict(read_table(ARCHIVED)),
    **{(name, s): frozenset({s}) for name in ANYWHERE for s in LETTERS.values()},
}


def a_chat(situation: Situation, *, queue: int = 0, steered: bool = False) -> LockedChat:
    """A chat in this situation with everything a command could wish for: a reply, calls, a branch."""
    length = queue or int(situation.queued)
    rows = tuple(
        Queued(
            id=QueuedId(10 + n), content=said(f"queued {n}"), created_by=OWNER, created_at=Micros(0),
            position=10 + n, steered=steered,
        )
        for n in range(length)
    )  # fmt: skip
    chat = Chat(
        id=ChatId("chat"),
        owner_id=OWNER,
        created_at=Micros(0),
        updated_at=Micros(0),
        status=situation.status,
        archived=situation.archived,
        versions=Versions(snapshot=5, history=4, queue=3),
        projection=Projection(last_role=Role.ASSISTANT, replies_since_boundary=1),
        queued=length,
        branch_count=2,
        branch=BranchId(2),
        last_number=20,
        lease=lease(),
    )
    return LockedChat(chat=chat, now=Micros(7), queue=rows, rules=())


def with_calls(locked: LockedChat, *calls: Call) -> LockedChat:
    return replace(locked, calls=calls, chat=replace(locked.chat, open_calls=len(calls)))


def an_open_call(call_id: str, kind: Kind = Kind.LOCAL) -> Call:
    return Call(
        message_id=MessageId(3), id=CallId(call_id), ordinal=0, tool="tool", kind=kind, effect=Effect.ONCE,
        state=CallState.OPEN, args=None, created_at=Micros(0),
    )  # fmt: skip


def a_head(number: int, role: Role) -> MessageHead:
    return MessageHead(
        id=MessageId(number), role=role, visibility=Visibility.BOTH, compressed=False, tokens=1, usage=None,
        ends_turn=False, advisor_uses=0,
    )  # fmt: skip


A_PAST = Past(
    active=(a_head(1, Role.SYSTEM), a_head(2, Role.USER), a_head(3, Role.ASSISTANT)),
    target=(a_head(1, Role.SYSTEM), a_head(4, Role.USER)),
)
NO_PAST = Past()
A_CHARGE = Charge(history=1, attempt=1, model="p/m", operation="reply", fate=Fate.EMPTY)
CLIENTS = an_open_call("client", Kind.CLIENT)
PERSONS = an_open_call("person", Kind.PERSON)
LOCAL = an_open_call("local")
A_RULE = KeptRule(rule=Rule(verdict=Verdict.DENY), created_at=Micros(0))

CLIENTS_RESULT = SubmitActions(actions=(Result(call_id=CallId("client"), output=1),))
PERSONS_ANSWER = SubmitActions(actions=(Answer(call_id=CallId("person"), answer="yes"),))
EDIT = EditMessage(message_id=MessageId(2), content=said("edited"))
EDIT_AND_DROP = replace(EDIT, queue=QueueOnEdit.DROP)

Example = tuple[LockedChat, Command]
Examples = Callable[[Situation], list[Example]]


def plainly(command: Command, *calls: Call, past: Past = NO_PAST, steered: bool = False) -> Examples:
    """One example: a chat with these calls open is asked this."""
    return lambda situation: [
        (replace(with_calls(a_chat(situation, steered=steered), *calls), past=past), command)
    ]


def with_two_lengths(command: Command, *calls: Call, past: Past = NO_PAST) -> Examples:
    """Two examples where the queue matters: its last message goes, or another stays."""
    return lambda situation: [
        (replace(with_calls(a_chat(situation, queue=length), *calls), past=past), command)
        for length in ((1, 2) if situation.queued else (0,))
    ]


EXAMPLES: Mapping[str, Examples] = {
    "SendMessage queue": plainly(send("hello", When.QUEUE)),
    "SendMessage steer": plainly(send("hello", When.STEER)),
    "SendMessage interrupt": plainly(send("hello", When.INTERRUPT), CLIENTS),
    "EditMessage": lambda situation: [
        *with_two_lengths(EDIT, past=A_PAST)(situation),
        *with_two_lengths(EDIT_AND_DROP, past=A_PAST)(situation),
    ],
    "NoteRestore": plainly(NoteRestore(notice="Files are back.", for_model="The user restored files.")),
    "SwitchBranch": plainly(SwitchBranch(branch=BranchId(1)), past=A_PAST),
    "RequestCompaction": plainly(RequestCompaction()),
    "RetryTurn": lambda situation: [
        (replace(chat, chat=replace(chat.chat, retry_state=retry())), command)
        for chat, command in plainly(RetryTurn())(situation)
    ],
    "DeleteQueued": with_two_lengths(DeleteQueued(queued_id=QueuedId(10))),
    "PromoteQueued": with_two_lengths(PromoteQueued(queued_id=QueuedId(10))),
    "ReorderQueue": with_two_lengths(ReorderQueue(queued_ids=(QueuedId(11), QueuedId(10)))),
    "Interrupt": with_two_lengths(Interrupt(), CLIENTS),
    "SubmitActions": plainly(CLIENTS_RESULT, CLIENTS),
    "SubmitActions steered": plainly(CLIENTS_RESULT, CLIENTS, steered=True),
    "SubmitActions partial": plainly(PERSONS_ANSWER, CLIENTS, PERSONS),
    "ExpireRequest": plainly(ExpireRequest(), CLIENTS),
    "ExpireRequest steered": plainly(ExpireRequest(), CLIENTS, steered=True),
    "ExpireRequest partial": plainly(ExpireRequest(), CLIENTS, PERSONS),
    "BeginAttempt": plainly(BeginAttempt()),
    "RecordCharges": plainly(RecordCharges(charges=(A_CHARGE,))),
    "RecordRetry": plainly(RecordRetry(retry=retry())),
    "JudgeCalls": plainly(JudgeCalls(message_id=LOCAL.message_id, plans=(asks_first("local"),)), LOCAL),
    "StartCalls": plainly(StartCalls(message_id=LOCAL.message_id, call_ids=(LOCAL.id,)), LOCAL),
    "FinishCall": plainly(FinishCall(message_id=LOCAL.message_id, call_id=LOCAL.id, result=result()), LOCAL),
    "CommitStep": plainly(step(says("more"))),
    "CommitStep steered": plainly(step(answers("local")), LOCAL, steered=True),
    "RequireAction": plainly(RequireAction(), CLIENTS),
    "FinishTurn": with_two_lengths(FinishTurn(), LOCAL),
    "FailTurn": plainly(FailTurn(failure=failure()), LOCAL),
    "FinishInterruption": with_two_lengths(FinishInterruption(partial=(says("half", call("half")),)), LOCAL),
    "Archive": plainly(Archive()),
    "Unarchive": plainly(Unarchive()),
    "Acquire": plainly(Acquire(lease=lease("another"))),
    "Release": plainly(Release()),
    "ChangeRules": plainly(ChangeRules(changes=(AddRule(kept=A_RULE),))),
    "PinContext": plainly(PinContext(context=Context(workspace="/w"))),
    "NoteContext": plainly(NoteContext(hash="", over=0)),
    "DescribeChat": plainly(DescribeChat(details=Details(title="new"))),
    "ChargeText": plainly(ChargeText(charge=A_CHARGE)),
    "NameChat": plainly(NameChat(title="new", instead_of="", chosen_by=TitleBy.FALLBACK)),
    "LabelTurn": plainly(LabelTurn(label=TurnLabel(turn=MessageId(0), text="Fixed the tests"))),
    "AddChild": plainly(AddChild()),
    "ChangeAccess": plainly(ChangeAccess()),
    "SummarizeChat": plainly(SummarizeChat(summary="About tests.")),
    "Repair": plainly(Repair(), CLIENTS),
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("situation", EVERY_SITUATION, ids=str)
def test_a_command_lands_exactly_where_the_specification_says(name: str, situation: Situation) -> None:
    legal = situation in machine.LEGAL
    expected = EXPECTED.get((name, situation), frozenset())
    if name == "Repair":
        expected = frozenset() if legal else frozenset({Situation(Status.ERROR, situation.queued)})

    reached = set()
    for locked, command in EXAMPLES[name](situation):
        if expected:
            reached.add(machine.decide(machine.begin(locked), command).after.chat.situation)
        else:
            with pytest.raises(NotAllowed if legal else InvalidState):
                machine.decide(machine.begin(locked), command)

    assert reached == expected


def test_every_command_has_its_rows() -> None:
    named = {name.split()[0] for name in EXAMPLES}
    assert named | {"CreateChat"} == {command.__name__ for command in TRANSITIONS}
    assert {name for name, _ in EXPECTED} | {"Repair"} == set(EXAMPLES)


def test_the_table_of_moves_promises_nothing_that_no_cell_has() -> None:
    cells: dict[tuple[str, Situation], set[Situation]] = {}
    for (name, situation), landings in EXPECTED.items():
        cells.setdefault((name.split()[0], situation), set()).update(landings)
    for command, situation in product(TRANSITIONS, EVERY_SITUATION):
        if command in (CreateChat, Repair):
            continue
        promised = machine.landings(command, situation)
        assert promised == cells.get((command.__name__, situation), set()), (
            f"{command.__name__} from {situation}"
        )


def test_the_situations_that_make_sense_are_the_twelve_of_the_specification() -> None:
    assert frozenset(LETTERS.values()) == machine.LEGAL
    assert len(machine.LEGAL) == 12
