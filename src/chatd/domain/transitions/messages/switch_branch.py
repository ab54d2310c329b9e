"""A user goes back to a branch that an edit has left."""

from msgspec import Struct

from chatd.domain.chat import Status
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat, wants_branch
from chatd.domain.ids import BranchId
from chatd.errors import NotAllowed, NotFound


class SwitchBranch(Struct, frozen=True, kw_only=True):
    branch: BranchId


def switch_branch(locked: LockedChat, command: SwitchBranch) -> Change:
    """The two histories part at one message; from there on one is left and the other entered."""
    if not wants_branch(locked.chat, command.branch):
        raise NotFound("branch_not_found", f"This chat has no other branch {command.branch}.")
    if locked.calls:
        raise NotAllowed(
            "calls_open",
            "The agent's last tool calls have no result yet.",
            hint="Send a message or retry the turn first; then switch.",
        )
    here = {head.id for head in locked.past.active}
    there = {head.id for head in locked.past.target}
    apart = here ^ there
    assert apart, f"branches {locked.chat.branch} and {command.branch} have the same messages"
    return Change(
        execution=Execution(status=Status.WAITING),
        cut_from=min(apart),
        enter_branch=command.branch,
    )
