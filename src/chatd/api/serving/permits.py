"""Where requests are permitted: what a caller asks for, put to `domain/people/permit.py`.

First at the door, where it is known who asks: the scopes of the token, and deeds that are not done to a chat.
Then with the chat in hand, before anything is done to it or told of it.
"""

from collections.abc import Iterable

from chatd.accounts.relations import relation_of
from chatd.api.failures import Forbidden
from chatd.api.serving.auth import Caller
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.people.deeds import CHAT_DEEDS, Deed
from chatd.domain.people.permit import Allow, Hide, Refuse, Relation, View, permit, refused_at_door
from chatd.errors import NotFound


def check_at_door(caller: Caller, deeds: Iterable[Deed]) -> None:
    """Raises Forbidden."""
    for deed in deeds:
        if deed in CHAT_DEEDS:
            answer: object = refused_at_door(caller.standing, deed)
        else:
            answer = permit(caller.standing, deed)
        if isinstance(answer, Refuse):
            raise _forbidden(answer, deed)


def check_with_chat(caller: Caller, deeds: Iterable[Deed], chat: Chat) -> None:
    """Raises Forbidden; or NotFound, as if there were no such chat, to who may do nothing with it."""
    relation = relation_of(caller.user, chat)
    for deed in deeds:
        if deed in CHAT_DEEDS:
            match permit(caller.standing, deed, relation, family=chat.family):
                case Refuse() as refused:
                    raise _forbidden(refused, deed)
                case Hide():
                    raise chat_not_found(chat.id)
                case Allow():
                    pass


def may(caller: Caller, deed: Deed, chat: Chat | None = None) -> bool:
    """For what is left out of an answer, and refused to nobody."""
    if chat is None:
        return isinstance(permit(caller.standing, deed), Allow)
    relation = relation_of(caller.user, chat)
    return isinstance(permit(caller.standing, deed, relation, family=chat.family), Allow)


def may_in_any_chat(caller: Caller, deed: Deed) -> bool:
    """For a query that finds chats, which cannot ask about each of them."""
    return isinstance(permit(caller.standing, deed, Relation.STRANGER), Allow)


def view_for(caller: Caller, chat: Chat) -> View:
    """How much of a chat is shown to a caller who may read it."""
    answer = permit(caller.standing, Deed.CHAT_READ, relation_of(caller.user, chat), family=chat.family)
    assert isinstance(answer, Allow), "what may not be read is not shown"
    return answer.view


def chat_not_found(chat_id: ChatId) -> NotFound:
    return NotFound("chat_not_found", f"There is no chat {chat_id!r}.", hint="GET /api/v1/chats lists yours.")


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
