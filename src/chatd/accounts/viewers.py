"""What a viewer is shown of a chat: decided here, from the kind of viewer and nothing else (pure)."""

from collections.abc import Mapping
from enum import StrEnum

from chatd.accounts.users import User
from chatd.domain.chat import Chat


class Viewer(StrEnum):
    """What a user is to a chat. One may be several of these."""

    OWNER = "owner"
    ADMINISTRATOR = "administrator"


class Sight(StrEnum):
    """Something of a chat that is shown to some viewers."""

    # Its settings, messages, queue and files: in answers, streams and exports.
    CHAT = "chat"
    # What models were asked and what they answered, in our own words.
    RECORDS = "records"
    # The prompt of the deployment, the address of the provider, and what went over the wire.
    WIRE = "wire"


SIGHTS: Mapping[Viewer, frozenset[Sight]] = {
    Viewer.OWNER: frozenset({Sight.CHAT, Sight.RECORDS}),
    Viewer.ADMINISTRATOR: frozenset({Sight.CHAT, Sight.RECORDS, Sight.WIRE}),
}
NOTHING: frozenset[Sight] = frozenset()


class Detail(StrEnum):
    """How much is in what a viewer is shown. Whatever is shown is made once for each of these, and shared."""

    FULL = "full"


DETAILS: Mapping[Viewer, Detail] = {
    Viewer.OWNER: Detail.FULL,
    Viewer.ADMINISTRATOR: Detail.FULL,
}


def viewers_of(user: User, chat: Chat) -> frozenset[Viewer]:
    is_a = {Viewer.OWNER: chat.owner_id == user.id, Viewer.ADMINISTRATOR: user.is_admin}
    return frozenset(viewer for viewer, applies in is_a.items() if applies)


def detail_for(user: User, chat: Chat) -> Detail:
    """The most that this user is shown of a chat that they are shown at all; the kinds are in that order."""
    given = {DETAILS[viewer] for viewer in viewers_of(user, chat)}
    return next(detail for detail in Detail if detail in given)


def is_shown_every_chat(user: User) -> bool:
    """For a query that finds chats, which cannot ask about each of them."""
    return user.is_admin and Sight.CHAT in SIGHTS[Viewer.ADMINISTRATOR]


def sights_of(user: User, chat: Chat) -> frozenset[Sight]:
    """All that this user is shown of this chat. Nothing: for them it does not exist."""
    return NOTHING.union(*(SIGHTS[viewer] for viewer in viewers_of(user, chat)))
