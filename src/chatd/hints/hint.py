"""Hints: "look again", with versions and never with content. Sent after the commit, best effort."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from chatd.domain.chat import Chat, Lease, Status
from chatd.domain.ids import ChatId, UserId


class ChatChanged(Struct, frozen=True, kw_only=True, tag="chat_changed"):
    """A chat has a newer snapshot. One for each transaction, describing where it ended."""

    chat_id: ChatId
    owner_id: UserId
    snapshot: int
    history: int
    queue: int
    retry: int
    attempt: int
    status: Status
    archived: bool
    lease: Lease | None
    # The version of who may do what with it; 0: it was never shared, or an older program does not tell.
    access: int = 0


class WorkWaiting(Struct, frozen=True, kw_only=True, tag="work_waiting"):
    """A chat has work to do and no living worker to do it."""

    chat_id: ChatId
    snapshot: int


class ChatDeleted(Struct, frozen=True, kw_only=True, tag="chat_deleted"):
    chat_id: ChatId
    owner_id: UserId


class ChildChanged(Struct, frozen=True, kw_only=True, tag="child_changed"):
    """What stands beside this chat in the list of a user is different: a chat that works for it does or waits
    for something else, the user has marked something in it, or it was offered to them or is theirs no more.
    """

    chat_id: ChatId
    owner_id: UserId


Hint: TypeAlias = ChatChanged | WorkWaiting | ChatDeleted | ChildChanged


class CatalogKind(StrEnum):
    """What of the catalog has changed."""

    PROVIDERS = "providers"
    # The entity is a model's id.
    MODEL = "model"
    # The entity is a user's id.
    USER_PROMPT = "user_prompt"
    # As above.
    USER_SKILLS = "user_skills"
    # As above.
    USER_COMPACTION = "user_compaction"
    # The entity is the id of a user who may do less, or more, than before.
    USER_ACCESS = "user_access"
    # The entity is the name of a document.
    SETTING = "setting"
    # The entity is the id of the user whose servers they are; None: those for all users.
    MCP_SERVERS = "mcp_servers"
    # Hints may have been lost: nothing that is remembered can be trusted.
    EVERYTHING = "everything"


class CatalogChanged(Struct, frozen=True, kw_only=True, tag="catalog_changed"):
    """What administrators and users have set is different now. It concerns no chat in particular."""

    # A CatalogKind, or one of a newer program, which we do not know.
    kind: str
    entity: str | None = None


class PartsLogged(Struct, frozen=True, kw_only=True, tag="parts_logged"):
    """The part log has what was said in this episode up to here. For viewers in other processes."""

    chat_id: ChatId
    history: int
    attempt: int
    seq: int


class HintsLost(Struct, frozen=True, tag="hints_lost"):
    """Hints of other processes may have been lost: look now, whatever you listen to."""


class BusAway(Struct, frozen=True, tag="bus_away"):
    """Nothing of other processes is heard from now on. When that is over, `HintsLost` follows."""


# What concerns no listener of chats: each kind has listeners of its own. The last two stay in their process.
News: TypeAlias = CatalogChanged | PartsLogged | HintsLost | BusAway


def chat_changed(chat: Chat) -> ChatChanged:
    versions = chat.versions
    return ChatChanged(
        chat_id=chat.id,
        owner_id=chat.owner_id,
        snapshot=versions.snapshot,
        history=versions.history,
        queue=versions.queue,
        retry=versions.retry,
        attempt=versions.attempt,
        status=chat.status,
        archived=chat.archived,
        lease=chat.lease,
        access=versions.access,
    )
