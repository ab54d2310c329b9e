"""The chat that a request names, if its caller may do with it what they ask for."""

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from chatd.accounts.relations import OWNER, granted_to, read_relation
from chatd.accounts.sharing.marks import owner_changed
from chatd.api.router import Asked, B, Q
from chatd.api.serving.audited.audited_reads import read_of
from chatd.api.serving.callers.permits import Seen, chat_not_found, check_with_chat, seen_by
from chatd.domain.chat import Chat
from chatd.domain.decision.locked import LockedChat
from chatd.domain.ids import ChatId
from chatd.domain.people.audit import TargetKind
from chatd.domain.transitions import Command
from chatd.errors import BadInput, NotFound
from chatd.kit.text import is_plain
from chatd.storage.database import Connection, Pace
from chatd.storage.reads.around import Around, read_chat_around
from chatd.storage.reads.read import read_chat
from chatd.storage.tables.audit import record_read
from chatd.storage.transactions.transact import Admit, Done, transact

# Raises when the caller may not do it to what they mean in this chat.
CheckSeen: TypeAlias = Callable[[LockedChat, Seen], None]


async def permitted(asked: Asked[Q, B]) -> Seen:
    """Raises NotFound for a chat that is not there, or not for this caller; Forbidden."""
    chat_id = _named(asked)
    chat = await read_chat(asked.store.db, chat_id)
    return await _seen(asked, chat) if chat is not None else await _not_there(asked, chat_id)


async def permitted_around(asked: Asked[Q, B]) -> tuple[Seen, Around]:
    """The same, with what is told beside the chat."""
    chat_id = _named(asked)
    found = await read_chat_around(asked.store.db, asked.user.id, chat_id)
    if found is None:
        return await _not_there(asked, chat_id)
    chat, around = found
    return await _seen(asked, chat), around


def _named(asked: Asked[Any, Any]) -> ChatId:
    chat_id = ChatId(asked.path["chat_id"])
    if not is_plain(chat_id):
        raise chat_not_found(chat_id)
    return chat_id


async def _seen(asked: Asked[Any, Any], chat: Chat) -> Seen:
    db, policy = asked.store.db, asked.server.policy
    related = OWNER if chat.owner_id == asked.user.id else await read_relation(db, asked.user, chat, policy)
    seen = seen_by(asked.known, asked.deeds, chat, related, policy)
    if seen.audited:
        await asked.server.audited_reads.note_chat(asked.by, chat.id)
    return seen


async def _not_there(asked: Asked[Any, Any], chat_id: ChatId) -> NoReturn:
    """After as long as it takes for a chat of somebody else."""
    policy = asked.server.policy
    await asked.store.db.read(lambda tx: granted_to(tx, asked.user, chat_id, policy), pace=Pace.ONE_QUERY)
    raise chat_not_found(chat_id)


async def permitted_chat(asked: Asked[Q, B]) -> Chat:
    return (await permitted(asked)).chat


class Admission:
    """Who may is seen under the chat's lock, and remembered for the answer."""

    def __init__(self, asked: Asked[Any, Any], check: CheckSeen | None = None) -> None:
        self._asked = asked
        self._check = check
        self.seen: Seen | None = None

    async def admit(self, tx: Connection, locked: LockedChat) -> None:
        asked = self._asked
        self.seen = await check_with_chat(tx, asked.known, asked.deeds, locked.chat, asked.server.policy)
        if self.seen.audited:
            await record_read(tx, asked.by, read_of(TargetKind.CHAT, locked.chat.id))
        in_use(locked.chat)
        if self._check is not None:
            self._check(locked, self.seen)


def still(asked: Asked[Any, Any], *, as_owner: bool = False) -> Admit:
    """Asks again under the chat's lock, for what was decided by a look at it before: it may be shared with
    the caller no more, or somebody else's by now. `as_owner`: what is done is only right for the owner.
    """

    async def admit(tx: Connection, locked: LockedChat) -> None:
        await check_with_chat(tx, asked.known, asked.deeds, locked.chat, asked.server.policy)
        if as_owner and locked.chat.owner_id != asked.user.id:
            raise owner_changed()

    return admit


async def transact_permitted(
    asked: Asked[Q, B], *commands: Command, check: CheckSeen | None = None
) -> tuple[Done, Seen]:
    """Change a chat in use at once: who may is seen under its lock, without a read before."""
    chat_id = _named(asked)
    admission = Admission(asked, check)
    try:
        done = await transact(asked.store, chat_id, *commands, admit=admission.admit)
    except NotFound as error:
        raise (chat_not_found(chat_id) if error.code == "chat_not_found" else error) from None
    assert admission.seen is not None, "nothing is done to a chat before it is permitted"
    return done, admission.seen


def in_use(chat: Chat) -> Chat:
    """What the machine would refuse as well; but here it is the request that is wrong, not the moment."""
    if chat.archived:
        raise BadInput(
            "archived",
            "This chat is in the archive.",
            hint='Take it out first: PATCH it with {"archived": false}.',
        )
    return chat
