"""For whom a service speaks (pure). Administrators say it, and never a request."""

from enum import StrEnum

from msgspec import Struct

from chatd.domain.people.roles import UserKind, UserRole
from chatd.domain.people.scopes import USUAL_SCOPES, TokenScope


class ActsFor(StrEnum):
    NOBODY = "nobody"
    # Customers of a product, whom only the service knows. Each is made when first spoken for.
    END_USERS = "end_users"
    # People of this deployment who are in one group.
    GROUP = "group"


class Represented(Struct, frozen=True, kw_only=True):
    """What counts of a user for whom a service would speak."""

    kind: UserKind
    role: UserRole
    suspended: bool = False
    # An end user of this very service.
    is_own: bool = False
    # In the group for which this service speaks.
    is_in_group: bool = False


# Whoever sees more than their own chats speaks for themselves.
SPOKEN_FOR = frozenset({UserRole.MEMBER, UserRole.VIEWER})
# In somebody's name a service chats, and does nothing else.
SCOPES_FOR_OTHERS = USUAL_SCOPES
# Of a token for the page of a product.
SCOPES_OF_USER_TOKENS = frozenset({TokenScope.CHATS_READ, TokenScope.CHATS_WRITE, TokenScope.FILES_WRITE})


def may_act_for(acts_for: ActsFor, who: Represented) -> bool:
    if who.suspended:
        return False
    match acts_for:
        case ActsFor.NOBODY:
            return False
        case ActsFor.END_USERS:
            return who.kind is UserKind.END_USER and who.is_own
        case ActsFor.GROUP:
            return who.kind is UserKind.PERSON and who.is_in_group and who.role in SPOKEN_FOR
