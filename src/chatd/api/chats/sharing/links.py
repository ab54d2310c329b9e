"""Public links of a chat: make one, see them, change and end them."""

from msgspec import UNSET
from msgspec.structs import asdict

from chatd.accounts.sharing.links import (
    AdmitLink,
    LinkChange,
    LinkWish,
    change_link,
    link_not_found,
    list_links,
    make_link,
    revoke_link,
)
from chatd.api import checks
from chatd.api.bodies import Nothing
from chatd.api.chats.permitted import permitted
from chatd.api.chats.sharing.link_bodies import ChangeLink, LinkList, LinkView, MakeLink, NewLinkView
from chatd.api.failures import Forbidden
from chatd.api.router import Asked, B, Q
from chatd.api.serving.callers.permits import Seen, check_with_chat
from chatd.domain.chat import Chat
from chatd.domain.people.deeds import Deed
from chatd.domain.people.links import PublicLink
from chatd.kit.clock import rfc3339
from chatd.storage.database import Connection


async def list_(asked: Asked[Nothing, Nothing]) -> LinkList:
    seen = await permitted(asked)
    links = await list_links(asked.store.db, seen.chat.id)
    return LinkList(links=tuple(_view(link) for link in links if _is_seen(asked, seen, link)))


async def add(asked: Asked[Nothing, MakeLink]) -> NewLinkView:
    body = asked.body
    seen = await permitted(asked)
    wish = LinkWish(days=body.days, live=body.live, include=frozenset(body.include))
    code, link = await make_link(asked.store, seen.chat.id, asked.by, wish, _admit(asked))
    return NewLinkView(**asdict(_view(link)), code=code)


async def patch(asked: Asked[Nothing, ChangeLink]) -> LinkView:
    """Who may is seen under the lock of the chat, where it is known whether guests would see more."""
    body = asked.body
    checks.something_to_change(body)
    seen = await permitted(asked)
    change = LinkChange(
        days=body.days,
        live=body.live,
        include=frozenset(body.include) if body.include is not UNSET else UNSET,
    )
    link_id = checks.plain(asked.path["link_id"], "link_id")
    link = await change_link(asked.store, seen.chat.id, asked.by, link_id, change, admit=_admit(asked))
    return _view(link)


async def delete(asked: Asked[Nothing, Nothing]) -> None:
    seen = await permitted(asked)
    link_id = checks.plain(asked.path["link_id"], "link_id")
    await revoke_link(asked.store, seen.chat.id, asked.by, link_id, _admit(asked))


def _admit(asked: Asked[Q, B]) -> AdmitLink:
    async def admit(tx: Connection, chat: Chat, before: PublicLink | None, wider: bool) -> None:  # noqa: FBT001
        deeds = (*asked.deeds, Deed.CHAT_SHARE) if wider else asked.deeds
        seen = await check_with_chat(tx, asked.known, deeds, chat, asked.server.policy)
        if before is not None and not _is_seen(asked, seen, before):
            raise link_not_found(before.id)
        if wider and not asked.server.policy.public_links:
            raise Forbidden(
                "policy_forbids",
                "On this server there are no public links.",
                hint="An administrator can change the setting `public_links`.",
            )

    return admit


def _is_seen(asked: Asked[Q, B], seen: Seen, link: PublicLink) -> bool:
    """Readers and writers know of their own, and only owners make some."""
    return not seen.only_own or link.made_by == asked.user.id


def _view(link: PublicLink) -> LinkView:
    return LinkView(
        id=link.id,
        made_by=link.made_by,
        made_at=rfc3339(link.made_at),
        expires_at=rfc3339(link.expires_at),
        live=link.is_live,
        include=tuple(sorted(link.include)),
        opened=link.opened,
    )
