"""What a user is to a chat. `domain/people/` says what follows from it."""

from msgspec import Struct

from chatd.accounts.users import User
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId, Micros
from chatd.domain.people.grants import GrantRole, best_of, is_for_everyone
from chatd.domain.people.permit import Policy, Relation, Sharing
from chatd.storage.database import Connection, Database, Pace


class Related(Struct, frozen=True):
    relation: Relation
    # When something of what was granted ends; None: nothing of it does.
    until: Micros | None = None


OWNER = Related(Relation.OWNER)
STEWARD = Related(Relation.STEWARD)
STRANGER = Related(Relation.STRANGER)


async def relation_of(tx: Connection, user: User, chat: Chat, policy: Policy) -> Related:
    """The best of what applies, taken at the root. For the owner nothing is read."""
    if chat.owner_id == user.id:
        return OWNER
    if chat.service_id == user.id:
        return STEWARD
    return await granted_to(tx, user, chat.family, policy)


async def granted_to(tx: Connection, user: User, root_id: ChatId, policy: Policy) -> Related:
    """What somebody else than the owner is to a family."""
    if policy.sharing is Sharing.OFF:
        return STRANGER
    rows = await tx.all("grants_for_user", user.id, is_for_everyone(user.kind, policy), root_id)
    ends = [expires_at for _, expires_at in rows if expires_at is not None]
    return Related(best_of(GrantRole(role) for role, _ in rows), min(ends, default=None))


async def read_relation(db: Database, user: User, chat: Chat, policy: Policy) -> Related:
    if user.id in (chat.owner_id, chat.service_id):
        return OWNER if user.id == chat.owner_id else STEWARD
    return await db.read(lambda tx: relation_of(tx, user, chat, policy), pace=Pace.ONE_QUERY)
