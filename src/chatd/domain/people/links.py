"""Public links: that whoever has a code may read one chat, for some days (pure)."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from chatd.domain.ids import SECOND, BranchId, ChatId, MessageId, Micros, UserId
from chatd.domain.message import Message

# Of one chat, those that count.
LINKS_MAX = 10
# How long one counts if nothing else is said, and at most.
LINK_DAYS, LINK_DAYS_MAX = 7, 90
DAY_MICROS = 24 * 3600 * SECOND


class Included(StrEnum):
    """What guests are shown beside words."""

    REASONING = "reasoning"
    # Calls with their arguments, results, and sources.
    TOOLS = "tools"
    # Also those that tools have shown, if these are shown too.
    FILES = "files"


class UpTo(Struct, frozen=True):
    """Where the history ended when a link was made: its newest number, and the branch it was on."""

    message_id: MessageId
    branch: BranchId


class PublicLink(Struct, frozen=True, kw_only=True):
    id: str
    chat_id: ChatId
    made_by: UserId
    made_at: Micros
    expires_at: Micros
    include: frozenset[Included]
    # None: it follows on.
    up_to: UpTo | None
    # How often it was opened.
    opened: int = 0

    @property
    def is_live(self) -> bool:
        return self.up_to is None


def widens(before: PublicLink, after: PublicLink) -> bool:
    """Whether guests see more than before, or for longer."""
    return (
        not after.include <= before.include
        or after.expires_at > before.expires_at
        or (after.is_live and not before.is_live)
    )


class LineOfHistory(Struct, frozen=True):
    """The messages that were in the history at one moment: by branch, those before a number."""

    pieces: tuple[tuple[BranchId, MessageId], ...]
    up_to: MessageId

    @classmethod
    def of(cls, pieces: Iterable[tuple[int, int]], up_to: UpTo) -> "LineOfHistory":
        return cls(tuple((BranchId(branch), MessageId(end)) for branch, end in pieces), up_to.message_id)

    def has(self, message: Message) -> bool:
        """A branch that was left then is not part of it, also when its owner goes back to it later."""
        return message.id <= self.up_to and any(
            message.branch == branch and message.id < before for branch, before in self.pieces
        )
