"""With whom chats are shared, and what readers mark in them."""

from msgspec import Struct


class Owner(Struct, frozen=True, kw_only=True):
    id: str = ""
    name: str = ""
    display_name: str = ""


class Participant(Owner, frozen=True, kw_only=True):
    """Somebody who has written in a chat: who is meant by the `created_by` of a message."""

    @property
    def shown(self) -> str:
        return self.display_name or self.name


class Grant(Struct, frozen=True, kw_only=True):
    """`kind` is user, group or everyone; `role` is reader or writer."""

    kind: str
    subject_id: str
    role: str
    name: str = ""
    display_name: str = ""
    made_by: str = ""
    made_at: str = ""
    expires_at: str | None = None


class GrantList(Struct, frozen=True, kw_only=True):
    grants: tuple[Grant, ...]


class PublicLink(Struct, frozen=True, kw_only=True):
    """With its `code` once, in the answer that makes it: `SERVER/s#CODE` is what guests open."""

    id: str
    expires_at: str
    made_by: str = ""
    made_at: str = ""
    live: bool = False
    # reasoning, tools, files: what guests see beside words.
    include: tuple[str, ...] = ()
    opened: int = 0
    code: str | None = None


class PublicLinkList(Struct, frozen=True, kw_only=True):
    links: tuple[PublicLink, ...]


class Marks(Struct, frozen=True, kw_only=True):
    """The caller's own."""

    read_id: int = 0
    pin_order: int = 0
    muted: bool = False
    has_unread: bool = False


class Transfer(Struct, frozen=True, kw_only=True):
    """A chat that is offered to somebody; `done` when an administrator has handed it over."""

    chat_id: str
    to_id: str
    to_name: str = ""
    by_id: str = ""
    by_name: str = ""
    title: str = ""
    keep: str = "nothing"
    made_at: str = ""
    expires_at: str | None = None
    done: bool = False


class TransferList(Struct, frozen=True, kw_only=True):
    transfers: tuple[Transfer, ...]
    offered: tuple[Transfer, ...] = ()
