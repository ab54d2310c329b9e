"""Chats that have come to a certain point, by the way a real one would."""

from chatd.domain.call import Plan
from chatd.domain.ids import BranchId, MessageId
from chatd.domain.part import Part
from chatd.domain.transitions.calls.require_action import RequireAction
from chatd.domain.transitions.chat.archive import Archive
from chatd.domain.transitions.messages.edit_message import EditMessage
from chatd.domain.transitions.messages.switch_branch import SwitchBranch
from chatd.domain.transitions.turns.fail_turn import FailTurn
from chatd.domain.transitions.turns.finish_turn import FinishTurn
from chatd.domain.transitions.turns.interrupt import Interrupt
from tests.support.model import ModelChat
from tests.words import client_call, create, failure, said, says, send, step, user

# The message of the calls in `calling`: the second of its chat.
CALLING = MessageId(2)


def running(*queued: str) -> ModelChat:
    """The agent works on "hello"; these messages wait."""
    chat = ModelChat(create(user("hello")))
    for words in queued:
        chat.tell(send(words))
    return chat


def idle() -> ModelChat:
    """The agent has said "hi" and rests."""
    chat = running()
    chat.tell(step(says("hi")))
    chat.tell(FinishTurn())
    return chat


def failed(*queued: str) -> ModelChat:
    chat = running(*queued)
    chat.tell(FailTurn(failure=failure()))
    return chat


def interrupting(*queued: str) -> ModelChat:
    chat = running(*queued)
    chat.tell(Interrupt())
    return chat


def calling(*parts: Part, plans: tuple[Plan, ...] = (), queued: tuple[str, ...] = ()) -> ModelChat:
    """The agent has just made these calls."""
    chat = running(*queued)
    chat.tell(step(says("let me see", *parts), plans=plans))
    return chat


def asking(*parts: Part, plans: tuple[Plan, ...] = (), queued: tuple[str, ...] = ()) -> ModelChat:
    """The chat waits for somebody; by default for a client."""
    chat = calling(*(parts or (client_call("tab"),)), plans=plans, queued=queued)
    chat.tell(RequireAction())
    return chat


def idle_with_an_open_call(*parts: Part) -> ModelChat:
    """Back on a branch that was left in the middle of a call."""
    chat = calling(*parts)
    chat.tell(EditMessage(message_id=MessageId(1), content=said("hello again")))
    chat.tell(FinishTurn())
    chat.tell(SwitchBranch(branch=BranchId(1)))
    return chat


def archived() -> ModelChat:
    chat = idle()
    chat.tell(Archive())
    return chat
