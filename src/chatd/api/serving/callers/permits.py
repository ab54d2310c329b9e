"""Where requests are permitted: what a caller asks for, put to `domain/people/permit.py`.

First at the door, where it is known who asks: the scopes of the token, and deeds that are not done to a chat.
Then with the chat in hand, before anything is done to it or told of it.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from chatd.accounts.relations import OWNER, Related, read_relation, relation_of
from chatd.api.failures import Forbidden
from chatd.api.serving.callers.auth import Caller
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.people.deeds import CHAT_DEEDS, Deed
from chatd.domain.people.permit import (
    Allow,
    Answer,
    Hide,
    Policy,
    Refuse,
    Relation,
    View,
    permit,
    refused_at_door,
)
from chatd.errors import NotFound
from chatd.kit.text import is_plain
from chatd.storage.database import Connection, Database
from chatd.storage.reads.read import read_chat


def check_at_door(caller: Caller, deeds: Iterable[Deed]) -> None:
    """Raises Forbidden."""
    for deed in deeds:
        if deed in CHAT_DEEDS:
            answer: object = refused_at_door(caller.standing, deed)
        else:
            answer = permit(caller.standing, deed)
        if isinstance(answer, Refuse):
            raise _forbidden(answer, deed)


class Seen(Struct, frozen=True, kw_only=True):
    """A chat with which the caller may do what they ask for, and how much they are shown of it."""

    chat: Chat
    related: Related
    view: View
    # Whoever may not speak is told of the queue only how long it is.
    shows_queue: bool
    # Only to what is the caller's own in it.
    only_own: bool = False
    # The deeds that have to be written down.
    audited: tuple[Deed, ...] = ()

    @property
    def relation(self) -> Relation:
        return self.related.relation


def own(chat: Chat) -> Seen:
    """A chat that the caller has made, or that was found because it is theirs."""
    return Seen(chat=chat, related=OWNER, view=View.FULL, shows_queue=True)


async def check_with_chat(
    tx: Connection, caller: Caller, deeds: Iterable[Deed], chat: Chat, policy: Policy
) -> Seen:
    """Raises Forbidden; or NotFound, as if there were no such chat, to who may do nothing with it."""
    return seen_by(caller, deeds, chat, await relation_of(tx, caller.user, chat, policy), policy)


def seen_by(caller: Caller, deeds: Iterable[Deed], chat: Chat, related: Related, policy: Policy) -> Seen:
    """The same (pure), with what the caller is to the chat."""
    allowed: dict[Deed, Allow] = {}
    for deed in deeds:
        if deed in CHAT_DEEDS:
            match _asked(caller, deed, chat, related.relation, policy):
                case Refuse() as refused:
                    raise _forbidden(refused, deed)
                case Hide():
                    raise chat_not_found(chat.id)
                case Allow() as answer:
                    allowed[deed] = answer
    view = _view(allowed, _asked(caller, Deed.CHAT_READ, chat, related.relation, policy))
    speaks = _asked(caller, Deed.CHAT_SPEAK, chat, related.relation, policy)
    return Seen(
        chat=chat,
        related=related,
        view=view,
        shows_queue=view is View.FULL or isinstance(speaks, Allow),
        only_own=any(answer.only_own for answer in allowed.values()),
        audited=tuple(deed for deed, answer in allowed.items() if answer.audited),
    )


def _asked(caller: Caller, deed: Deed, chat: Chat, relation: Relation, policy: Policy) -> Answer:
    return permit(caller.standing, deed, relation, policy, family=chat.family)


def _view(allowed: Mapping[Deed, Allow], read: Answer) -> View:
    """Who may act without reading, or reads only what is then written down, is not shown it by the way."""
    if isinstance(read, Allow) and (not read.audited or Deed.CHAT_READ in allowed):
        return read.view
    return View.LIGHT


async def readable(caller: Caller, db: Database, chat_id: ChatId, policy: Policy) -> Seen | None:
    """A chat that no path names, if the caller may read it."""
    chat = await read_chat(db, chat_id) if is_plain(chat_id) else None
    if chat is None:
        return None
    related = await read_relation(db, caller.user, chat, policy)
    if not may_in(caller, Deed.CHAT_READ, chat, related.relation, policy):
        return None
    return seen_by(caller, (Deed.CHAT_READ,), chat, related, policy)


def may(caller: Caller, deed: Deed) -> bool:
    """For what is left out of an answer, and refused to nobody."""
    return isinstance(permit(caller.standing, deed), Allow)


def may_in(caller: Caller, deed: Deed, chat: Chat, relation: Relation, policy: Policy) -> bool:
    """The same for what is done to a chat."""
    return isinstance(_asked(caller, deed, chat, relation, policy), Allow)


def reaches(caller: Caller, root_id: ChatId) -> bool:
    """Whether what was shown is good for this family: for chats that are nothing to the caller yet."""
    return caller.standing.family in (None, root_id)


def may_in_any_chat(caller: Caller, deed: Deed, policy: Policy) -> bool:
    """For a query that finds chats, which cannot ask about each of them."""
    return isinstance(permit(caller.standing, deed, Relation.STRANGER, policy), Allow)


def may_as(caller: Caller, deed: Deed, relation: Relation, policy: Policy) -> bool:
    """The same for those of the chats that their token is good for to which the caller is this."""
    family = caller.standing.family
    return isinstance(permit(caller.standing, deed, relation, policy, family=family), Allow)


def chat_not_found(chat_id: ChatId) -> NotFound:
    return NotFound("chat_not_found", f"There is no chat {chat_id!r}.", hint="GET /api/v1/chats lists yours.")


def not_permitted(deed: Deed) -> Forbidden:
    """For what only a look at the chat can tell."""
    return _forbidden(Refuse("not_permitted"), deed)


def _forbidden(refused: Refuse, deed: Deed) -> Forbidden:
    if refused.scope is not None:
        return Forbidden(
            refused.code,
            f"This token was not made for that: it lacks the scope `{refused.scope}`.",
            hint=f"Make a token with the scope `{refused.scope}`.",
        )
    if deed in CHAT_DEEDS:
        return Forbidden(
            refused.code,
            f"You may not do this with this chat (`{deed}`).",
            hint="Its owner can.",
        )
    return Forbidden(
        refused.code,
        f"Your role does not let you do this (`{deed}`).",
        hint="An administrator can.",
    )
