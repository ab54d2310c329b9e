"""Everything that can happen to a chat: a command, and the function that says what it means."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from chatd.domain.decision.change import Change
from chatd.domain.decision.locked import LockedChat
from chatd.domain.transitions.calls.expire_request import ExpireRequest, expire_request
from chatd.domain.transitions.calls.finish_call import FinishCall, finish_call
from chatd.domain.transitions.calls.judge_calls import JudgeCalls, judge_calls
from chatd.domain.transitions.calls.require_action import RequireAction, require_action
from chatd.domain.transitions.calls.start_calls import StartCalls, start_calls
from chatd.domain.transitions.calls.submit_actions import SubmitActions, submit_actions
from chatd.domain.transitions.chat.add_child import AddChild, add_child
from chatd.domain.transitions.chat.archive import Archive, Unarchive, archive, unarchive
from chatd.domain.transitions.chat.change_access import ChangeAccess, change_access
from chatd.domain.transitions.chat.change_rules import ChangeRules, change_rules
from chatd.domain.transitions.chat.charge_text import ChargeText, charge_text
from chatd.domain.transitions.chat.create_chat import CreateChat, create_chat
from chatd.domain.transitions.chat.describe_chat import DescribeChat, describe_chat
from chatd.domain.transitions.chat.label_turn import LabelTurn, label_turn
from chatd.domain.transitions.chat.name_chat import NameChat, name_chat
from chatd.domain.transitions.chat.note_context import NoteContext, note_context
from chatd.domain.transitions.chat.pin_context import PinContext, pin_context
from chatd.domain.transitions.chat.summarize_chat import SummarizeChat, summarize_chat
from chatd.domain.transitions.messages.delete_queued import DeleteQueued, delete_queued
from chatd.domain.transitions.messages.edit_message import EditMessage, edit_message
from chatd.domain.transitions.messages.note_restore import NoteRestore, note_restore
from chatd.domain.transitions.messages.promote_queued import PromoteQueued, promote_queued
from chatd.domain.transitions.messages.reorder_queue import ReorderQueue, reorder_queue
from chatd.domain.transitions.messages.send_message import SendMessage, send_message
from chatd.domain.transitions.messages.switch_branch import SwitchBranch, switch_branch
from chatd.domain.transitions.ownership.acquire import Acquire, acquire
from chatd.domain.transitions.ownership.release import Release, release
from chatd.domain.transitions.ownership.repair import Repair, repair
from chatd.domain.transitions.turns.begin_attempt import BeginAttempt, begin_attempt
from chatd.domain.transitions.turns.commit_step import CommitStep, commit_step
from chatd.domain.transitions.turns.fail_turn import FailTurn, fail_turn
from chatd.domain.transitions.turns.finish_interruption import FinishInterruption, finish_interruption
from chatd.domain.transitions.turns.finish_turn import FinishTurn, finish_turn
from chatd.domain.transitions.turns.interrupt import Interrupt, interrupt
from chatd.domain.transitions.turns.record_charges import RecordCharges, record_charges
from chatd.domain.transitions.turns.record_retry import RecordRetry, record_retry
from chatd.domain.transitions.turns.request_compaction import RequestCompaction, request_compaction
from chatd.domain.transitions.turns.retry_turn import RetryTurn, retry_turn

Command: TypeAlias = (
    CreateChat
    | SendMessage
    | EditMessage
    | SwitchBranch
    | DeleteQueued
    | PromoteQueued
    | ReorderQueue
    | Interrupt
    | SubmitActions
    | RequestCompaction
    | RetryTurn
    | NoteRestore
    | Archive
    | Unarchive
    | DescribeChat
    | ChangeRules
    | ChangeAccess
    | PinContext
    | Acquire
    | Release
    | BeginAttempt
    | NoteContext
    | RecordCharges
    | RecordRetry
    | ChargeText
    | NameChat
    | LabelTurn
    | SummarizeChat
    | AddChild
    | JudgeCalls
    | StartCalls
    | FinishCall
    | CommitStep
    | RequireAction
    | FinishTurn
    | FinishInterruption
    | FailTurn
    | ExpireRequest
    | Repair
)

# Each function takes exactly the command it stands beside; the type of the table cannot say so.
TRANSITIONS: Mapping[type[Command], Callable[[LockedChat, Any], Change]] = {
    # people
    CreateChat: create_chat,
    SendMessage: send_message,
    EditMessage: edit_message,
    SwitchBranch: switch_branch,
    DeleteQueued: delete_queued,
    PromoteQueued: promote_queued,
    ReorderQueue: reorder_queue,
    Interrupt: interrupt,
    SubmitActions: submit_actions,
    RequestCompaction: request_compaction,
    RetryTurn: retry_turn,
    NoteRestore: note_restore,
    Archive: archive,
    Unarchive: unarchive,
    DescribeChat: describe_chat,
    ChangeRules: change_rules,
    ChangeAccess: change_access,
    PinContext: pin_context,
    # workers
    Acquire: acquire,
    Release: release,
    BeginAttempt: begin_attempt,
    NoteContext: note_context,
    RecordCharges: record_charges,
    RecordRetry: record_retry,
    ChargeText: charge_text,
    NameChat: name_chat,
    LabelTurn: label_turn,
    SummarizeChat: summarize_chat,
    AddChild: add_child,
    JudgeCalls: judge_calls,
    StartCalls: start_calls,
    FinishCall: finish_call,
    CommitStep: commit_step,
    RequireAction: require_action,
    FinishTurn: finish_turn,
    FinishInterruption: finish_interruption,
    FailTurn: fail_turn,
    ExpireRequest: expire_request,
    Repair: repair,
}
