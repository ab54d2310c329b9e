"""What a transition is given: the chat as its row lock shows it, and nothing that needs more reading."""

from collections.abc import Mapping

from msgspec import Struct

from chatd.domain.approvals.rule import KeptRule
from chatd.domain.call import Call
from chatd.domain.chat import Chat
from chatd.domain.ids import BranchId, CallId, FileId, MessageId, Micros, UserId
from chatd.domain.message import Effort, Queued, Role, Usage, Visibility
from chatd.domain.setup import Setup
from chatd.domain.turn_end import TurnEnd


class MessageHead(Struct, frozen=True, kw_only=True):
    """A message without its words."""

    id: MessageId
    role: Role
    visibility: Visibility
    compressed: bool
    tokens: int
    usage: Usage | None
    ends_turn: bool
    advisor_uses: int
    paused: bool = False
    cut_off: bool = False
    model: str | None = None
    effort: Effort | None = None
    created_by: UserId | None = None
    turn_end: TurnEnd | None = None


class Past(Struct, frozen=True, kw_only=True):
    """The history a command wants to rewrite. Read only for the two commands that do.

    `active` is the history as it stands; `target` and `target_calls` are the branch to
    switch to, with its unanswered calls, when there is such a branch.
    """

    active: tuple[MessageHead, ...] = ()
    target: tuple[MessageHead, ...] = ()
    target_calls: tuple[Call, ...] = ()


class Files(Struct, frozen=True):
    """The files a command mentions: which of them exist for this owner, which are linked already."""

    # With their bytes.
    known: Mapping[FileId, int] = {}
    linked: frozenset[FileId] = frozenset()
    link_count: int = 0
    # Of what tools have shown, which has a bound of its own.
    media_count: int = 0


NO_FILES = Files()


class LockedChat(Struct, frozen=True, kw_only=True):
    chat: Chat
    now: Micros
    queue: tuple[Queued, ...] = ()
    # Unanswered calls of the active branch, in call order.
    calls: tuple[Call, ...] = ()
    lease_is_fresh: bool = False
    # Whether agents are to do nothing for its owner, who is suspended, was deleted or may only view.
    owner_shut_out: bool = False
    files: Files = NO_FILES
    past: Past = Past()
    # Read only when it changes. None: not read; or there is none, which the versions tell.
    setup: Setup | None = None
    # The chat's rules for approvals, as above: read only when they change.
    rules: tuple[KeptRule, ...] | None = None
    # Ids of calls that the command answers without naming their message, and that earlier calls had too.
    used_before: frozenset[CallId] = frozenset()

    @property
    def head(self) -> Queued:
        assert self.queue, f"chat {self.chat.id} counts {self.chat.queued} queued messages and has none"
        return self.queue[0]


def wants_branch(chat: Chat, branch: BranchId) -> bool:
    """Whether the chat has this branch, other than the active one."""
    return 1 <= branch <= chat.branch_count and branch != chat.branch
