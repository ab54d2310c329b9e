"""A user starts a chat."""

from msgspec import Struct
from msgspec.structs import replace

from chatd.domain.call import Plan
from chatd.domain.chat import Chat, Status
from chatd.domain.decision.change import Change, Execution
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import ChatId, Micros, UserId
from chatd.domain.message import Draft, Role
from chatd.domain.profile.agent_type import AgentType
from chatd.domain.profile.texts import TitleBy
from chatd.domain.setup import SetupChange
from chatd.errors import BadInput


class CreateChat(Struct, frozen=True, kw_only=True):
    # Minted by the caller, so that other things may refer to the chat before it exists.
    id: ChatId
    owner_id: UserId
    messages: tuple[Draft, ...]
    # How the calls of these messages are kept, where that matters.
    plans: tuple[Plan, ...] = ()
    title: str = ""
    title_by: TitleBy = TitleBy.FALLBACK
    labels: dict[str, str] = {}
    setup: SetupChange | None = None
    parent_id: ChatId | None = None
    root_id: ChatId | None = None
    agent_type: AgentType | None = None
    key: str | None = None
    # What was asked for with this key, as a check sum: another request must not be answered with this chat.
    digest: str = ""
    # The same for the key of the last message. Those before it were not sent to this chat: there is none.
    message_digest: str = ""
    temporary: bool = False


def blank(command: CreateChat, now: Micros) -> LockedChat:
    """The chat before its first message: what `create_chat` changes."""
    chat = Chat(
        id=command.id,
        owner_id=command.owner_id,
        created_at=now,
        updated_at=now,
        title=command.title,
        title_by=command.title_by,
        labels=command.labels,
        parent_id=command.parent_id,
        root_id=command.root_id,
        agent_type=command.agent_type,
        key=command.key,
        temporary=command.temporary,
    )
    return LockedChat(chat=chat, now=now)


def create_chat(locked: LockedChat, command: CreateChat) -> Change:
    if not command.messages:
        raise BadInput("no_messages", "A chat begins with at least one message.", field="content")
    owner = locked.chat.owner_id
    first = tuple(
        replace(m, created_by=owner) if m.role is Role.USER and m.created_by is None else m
        for m in command.messages
    )
    setup = (command.setup,) if command.setup is not None else ()
    return Change(execution=Execution(status=Status.RUNNING), append=first, plans=command.plans, setup=setup)
