"""Whatever people and workers might ask of a chat, drawn by Hypothesis.

Most commands are plausible where they are drawn, and some are nonsense.
"""

from hypothesis import strategies as st
from msgspec.structs import replace

from chatd.domain.approvals.made_rules import Decision
from chatd.domain.approvals.rule import AddRule, ApprovalScope, KeptRule, RemoveRule
from chatd.domain.call import CallResult, CallState, Effect, Kind, Plan, find
from chatd.domain.decision.change import Details
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import BranchId, CallId, MessageId, Micros, QueuedId
from chatd.domain.message import Cost, Draft, Usage
from chatd.domain.part import Part, ToolResult
from chatd.domain.profile.texts import TitleBy, TurnLabel
from chatd.domain.setup import ClientTool, SetupChange
from chatd.domain.transitions import Command
from chatd.domain.transitions.calls.expire_request import ExpireRequest
from chatd.domain.transitions.calls.finish_call import FinishCall
from chatd.domain.transitions.calls.judge_calls import JudgeCalls
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.calls.start_calls import StartCalls
from chatd.domain.transitions.calls.submit_actions import Action, Answer, Approval, Result, SubmitActions
from chatd.domain.transitions.chat.add_child import AddChild
from chatd.domain.transitions.chat.archive import Archive, Unarchive
from chatd.domain.transitions.chat.change_access import ChangeAccess
from chatd.domain.transitions.chat.change_rules import ChangeRules
from chatd.domain.transitions.chat.charge_text import ChargeText
from chatd.domain.transitions.chat.describe_chat import DescribeChat
from chatd.domain.transitions.chat.label_turn import LabelTurn
from chatd.domain.transitions.chat.name_chat import NameChat
from chatd.domain.transitions.chat.note_context import NoteContext
from chatd.domain.transitions.chat.pin_context import PinContext
from chatd.domain.transitions.chat.summarize_chat import SummarizeChat
from chatd.domain.transitions.messages.delete_queued import DeleteQueued
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.note_restore import NoteRestore
from chatd.domain.transitions.messages.promote_queued import PromoteQueued
from chatd.domain.transitions.messages.reorder_queue import ReorderQueue
from chatd.domain.transitions.messages.send_message import SendMessage, When
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.ownership.acquire import Acquire
from chatd.domain.transitions.ownership.release import Release
from chatd.domain.transitions.ownership.repair import Repair
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt
from chatd.domain.transitions.turns.commit_step import CommitStep
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from chatd.domain.transitions.turns.record_charges import RecordCharges
from chatd.domain.transitions.turns.record_retry import RecordRetry
from chatd.domain.transitions.turns.request_compaction import RequestCompaction
from chatd.domain.transitions.turns.retry_turn import RetryTurn
from chatd.domain.usage.charge import Charge, Fate
from tests.words import (
    allows,
    answers,
    asks_first,
    call,
    client_call,
    failure,
    lease,
    outcome,
    retry,
    said,
    says,
    summary,
    system,
    told,
    user,
)

FILES = [f"file {n}" for n in range(60)]

# Ids are drawn as places: the second queued message, the first open call. `aimed` looks up what is there.
_PLACES = st.integers(0, 3)
_CALLS = _PLACES.map(lambda place: CallId(f"#{place}"))
_QUEUED = _PLACES.map(QueuedId)

_WORDS = st.sampled_from(["hi", "go on", "\0 \ud800 odd"])
_USER_MESSAGES = st.builds(user, _WORDS, file=st.none() | st.sampled_from(FILES))

# Calls of every kind that a reply may hold; the last one is answered inside it.
_GROUPS: list[list[Part]] = [
    [call("local 1")],
    [call("local 2")],
    [client_call("client 1")],
    [call("search", "web_search", provider=True)],
    [call("search 2", "web_search", provider=True), outcome("search 2", tool="web_search")],
]
_USAGES = st.sampled_from([None, Usage(input_tokens=70, context_limit=100), Usage(total_tokens=10)])
_COSTS = st.sampled_from([None, Cost(micros=300, source="book")])
_CHARGES = st.builds(
    Charge,
    # Of the attempt that is under way: `aimed` knows it.
    history=st.just(0),
    attempt=st.just(0),
    model=st.just("p/m"),
    operation=st.just("reply"),
    fate=st.sampled_from(Fate),
    usage=_USAGES,
    cost=_COSTS,
)
_REPLIES = st.builds(
    lambda groups, usage, cost: replace(
        says("words", *(part for group in groups for part in _GROUPS[group]), usage=usage), cost=cost
    ),
    st.lists(st.integers(0, len(_GROUPS) - 1), max_size=4, unique=True),
    _USAGES,
    _COSTS,
)
_RESULTS = st.builds(answers, _CALLS, st.sampled_from(["done", "kept"]), ends_turn=st.booleans())
_PLANS = st.builds(
    Plan,
    call_id=st.sampled_from([CallId("local 1"), CallId("local 2")]),
    effect=st.sampled_from(Effect),
    state=st.sampled_from([CallState.OPEN, CallState.NEEDS_APPROVAL, CallState.DENIED]),
    asks_person=st.booleans(),
    request=st.sampled_from(
        [None, asks_first("a", allows("a")).request, asks_first("a", allows("b")).request]
    ),
)
_ACTIONS: st.SearchStrategy[Action] = st.builds(
    Approval,
    call_id=_CALLS,
    message_id=st.none() | st.just(MessageId(0)),
    decision=st.sampled_from(Decision),
    scope=st.sampled_from(ApprovalScope),
)
_RULE_CHANGES = st.builds(
    lambda tool, position: AddRule(kept=KeptRule(rule=allows(tool), created_at=Micros(0)), position=position),
    st.sampled_from("abc"),
    st.integers(0, 2),
) | st.builds(RemoveRule, rule_id=st.sampled_from("ab").map(lambda tool: allows(tool).id))

_SETUPS = st.sampled_from([SetupChange(), SetupChange(client_tools=(ClientTool(name="t"),))])

_CONTEXTS = st.sampled_from([told("a"), told("b")])

_PEOPLE: list[st.SearchStrategy[Command]] = [
    st.builds(SendMessage, message=_USER_MESSAGES, when=st.sampled_from(When)),
    st.builds(SendMessage, message=_USER_MESSAGES, when=st.sampled_from(When), setup=_SETUPS),
    st.builds(EditMessage, message_id=st.integers(1, 30).map(MessageId), content=st.just(said("edited"))),
    st.builds(SwitchBranch, branch=st.integers(0, 4).map(BranchId)),
    st.builds(DeleteQueued, queued_id=_QUEUED),
    st.builds(PromoteQueued, queued_id=_QUEUED),
    st.builds(ReorderQueue, queued_ids=st.lists(_QUEUED, max_size=4).map(tuple)),
    st.builds(SubmitActions, actions=st.lists(_ACTIONS, min_size=1, max_size=3).map(tuple)),
    st.sampled_from(
        [
            Interrupt(),
            RequestCompaction(),
            RetryTurn(),
            Archive(),
            Unarchive(),
            Repair(),
            ExpireRequest(),
            NoteRestore(notice="Files are back.", for_model="The user restored files."),
        ]
    ),
    st.builds(ChangeRules, changes=st.lists(_RULE_CHANGES, min_size=1, max_size=2).map(tuple)),
    st.builds(PinContext, context=st.none() | _CONTEXTS),
    st.just(ChangeAccess()),
    st.builds(DescribeChat, details=st.sampled_from([Details(title="t"), Details(labels={"a": "b"})])),
]
_WORKERS: list[st.SearchStrategy[Command]] = [
    st.builds(
        CommitStep,
        messages=_REPLIES.map(lambda reply: (reply,)),
        plans=st.lists(_PLANS, max_size=2, unique_by=lambda plan: plan.call_id).map(tuple),
    ),
    st.builds(CommitStep, messages=st.lists(_RESULTS, min_size=1, max_size=3).map(tuple)),
    st.builds(Acquire, lease=st.sampled_from([lease("a", "1"), lease("b", "2")])),
    st.builds(
        StartCalls,
        message_id=st.just(MessageId(0)),
        call_ids=st.lists(_CALLS, min_size=1, max_size=2).map(tuple),
    ),
    st.builds(PinContext, context=_CONTEXTS, over=st.integers(0, 5)),
    st.builds(NoteContext, hash=_CONTEXTS.map(lambda context: context.hash), over=st.integers(0, 5)),
    st.builds(
        JudgeCalls,
        message_id=st.just(MessageId(0)),
        plans=st.builds(
            Plan,
            call_id=_CALLS,
            state=st.sampled_from([CallState.NEEDS_APPROVAL, CallState.DENIED]),
            reason=st.just("no"),
            request=st.just(asks_first("a", allows("a")).request),
        ).map(lambda plan: (plan,)),
    ),
    st.builds(
        FinishCall,
        message_id=st.just(MessageId(0)),
        call_id=_CALLS,
        result=st.just(CallResult(result="kept")),
    ),
    st.builds(RecordCharges, charges=_CHARGES.map(lambda charge: (charge,))),
    st.builds(ChargeText, charge=_CHARGES),
    st.builds(
        NameChat,
        title=st.just("m"),
        instead_of=st.sampled_from(["", "t"]),
        chosen_by=st.sampled_from(TitleBy),
    ),
    st.builds(
        LabelTurn,
        label=st.integers(0, 3).map(lambda turn: TurnLabel(turn=MessageId(turn), text="Fixed the tests")),
    ),
    st.just(SummarizeChat(summary="About tests.")),
    st.just(AddChild()),
    st.builds(FinishInterruption, partial=st.lists(_REPLIES | _RESULTS, max_size=2).map(tuple)),
    st.sampled_from([FinishTurn(), RequireAction(), BeginAttempt(), FinishInterruption()]),
    st.sampled_from(
        [
            Release(),
            RecordRetry(retry=retry()),
            FailTurn(failure=failure()),
            CommitStep(messages=summary("so far"), consumes_request=True),
            CommitStep(messages=(system("note"),)),
        ]
    ),
]

ANY_COMMAND: st.SearchStrategy[Command] = st.one_of(*_PEOPLE, *_WORKERS, *_WORKERS)


def aimed(command: Command, locked: LockedChat) -> Command:
    """The command with places turned into ids. A place with nothing in it stays nonsense."""
    match command:
        case DeleteQueued() | PromoteQueued() | ReorderQueue():
            return _aimed_at_queue(command, locked)
        case CommitStep(messages=messages):
            return replace(command, messages=_aimed_messages(messages, locked))
        case FinishInterruption(partial=partial):
            return replace(command, partial=_aimed_messages(partial, locked))
        case RecordCharges(charges=charges):
            versions = locked.chat.versions
            now = [replace(each, history=versions.history, attempt=versions.attempt) for each in charges]
            return replace(command, charges=tuple(now))
        case NoteContext(over=over) if over:
            return replace(command, over=locked.chat.pin_version)
        case StartCalls(call_ids=places):
            ids = tuple(_call_id(place, locked) for place in places)
            return replace(command, call_ids=ids, message_id=_message_id(locked))
        case JudgeCalls(plans=plans):
            aims = tuple(replace(plan, call_id=_call_id(plan.call_id, locked)) for plan in plans)
            return replace(command, plans=aims, message_id=_message_id(locked))
        case FinishCall(call_id=place):
            return replace(command, call_id=_call_id(place, locked), message_id=_message_id(locked))
        case SubmitActions(actions=actions):
            return replace(command, actions=tuple(_aimed_action(action, locked) for action in actions))
        case _:
            return command


def _aimed_at_queue(command: DeleteQueued | PromoteQueued | ReorderQueue, locked: LockedChat) -> Command:
    if isinstance(command, ReorderQueue):
        return replace(command, queued_ids=tuple(_queued_id(place, locked) for place in command.queued_ids))
    return replace(command, queued_id=_queued_id(command.queued_id, locked))


def _queued_id(place: int, locked: LockedChat) -> QueuedId:
    return locked.queue[place].id if place < len(locked.queue) else QueuedId(999)


def _aimed_messages(messages: tuple[Draft, ...], locked: LockedChat) -> tuple[Draft, ...]:
    return tuple(
        replace(message, content=tuple(_aimed_part(part, locked) for part in message.content))
        for message in messages
    )


def _aimed_part(part: Part, locked: LockedChat) -> Part:
    if isinstance(part, ToolResult):
        return replace(part, tool_call_id=_call_id(part.tool_call_id, locked))
    return part


def _aimed_action(action: Action, locked: LockedChat) -> Action:
    """An answer of the kind that the call waits for."""
    call_id = _call_id(action.call_id, locked)
    found = find(locked.calls, call_id, _message_id(locked))
    match found.kind if found else None:
        case Kind.CLIENT:
            return Result(call_id=call_id, output={"ok": True})
        case Kind.PERSON:
            return Answer(call_id=call_id, answer="yes")
        case _ if action.message_id is not None:
            return replace(action, call_id=call_id, message_id=_message_id(locked))
        case _:
            return replace(action, call_id=call_id)


def _message_id(locked: LockedChat) -> MessageId:
    """All open calls are of one message."""
    return locked.calls[0].message_id if locked.calls else MessageId(0)


def _call_id(place: CallId, locked: LockedChat) -> CallId:
    number = int(place[1:]) if place.startswith("#") else None
    return locked.calls[number].id if number is not None and number < len(locked.calls) else place
