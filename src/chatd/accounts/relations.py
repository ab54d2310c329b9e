"""What a user is to a chat (pure). `domain/people/` says what follows from it."""

from chatd.accounts.users import User
from chatd.domain.chat import Chat
from chatd.domain.people.permit import Relation


def relation_of(user: User, chat: Chat) -> Relation:
    """A chat that works for another one has the same owner."""
    if chat.owner_id == user.id:
        return Relation.OWNER
    return Relation.STEWARD if chat.service_id == user.id else Relation.STRANGER
