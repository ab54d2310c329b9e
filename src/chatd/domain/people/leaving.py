"""What becomes of the chats of a user who is deleted (pure). Somebody has to choose."""

from enum import StrEnum

from msgspec import Struct

from chatd.domain.ids import UserId
from chatd.domain.people.audit import AskedBy
from chatd.domain.people.roles import UserKind, UserRole


class ChatsOfLeaver(StrEnum):
    # They are somebody else's.
    TRANSFER = "transfer"
    # They are put away, and administrators can read them.
    ARCHIVE = "archive"
    # They are deleted, with their files.
    ERASE = "erase"


class Leaving(Struct, frozen=True, kw_only=True):
    """Written down with the deletion, so that it comes about whatever happens in between."""

    chats: ChatsOfLeaver
    # Who gets them.
    to: UserId | None = None
    # Who wants it so.
    by: AskedBy
    # Whether the workspace of the server is for all users: then it goes along.
    workspace_shared: bool = False


class Receiver(Struct, frozen=True, kw_only=True):
    """What counts of who would get the chats."""

    kind: UserKind
    role: UserRole
    suspended: bool
    service_id: UserId | None = None


def may_receive(receiver: Receiver, *, leaver_service: UserId | None) -> bool:
    """An active person who may have chats; or for an end user another one of the same service."""
    if receiver.suspended or receiver.role is UserRole.VIEWER:
        return False
    if receiver.kind is UserKind.END_USER:
        return leaver_service is not None and receiver.service_id == leaver_service
    return receiver.kind is UserKind.PERSON
