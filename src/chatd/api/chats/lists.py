"""Lists of chats, and searches: the caller's own, those shared with them, and all for who runs the server."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from chatd.accounts.relations import OWNER, STEWARD, STRANGER, read_relation
from chatd.api import bodies, checks
from chatd.api.bodies import Nothing
from chatd.api.chats.cursor import cursor_of, found_place_at, place_at
from chatd.api.chats.showing import show_page
from chatd.api.router import Asked
from chatd.api.serving.callers.permits import (
    Seen,
    may_in,
    may_in_any_chat,
    not_permitted,
    own,
    readable,
    seen_by,
)
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.people.deeds import Deed
from chatd.domain.people.grants import is_for_everyone
from chatd.domain.people.permit import AdminsRead, Sharing, View
from chatd.domain.people.roles import UserKind
from chatd.errors import BadInput
from chatd.storage.reads.around import GONE, read_around
from chatd.storage.reads.lists import SharedWith, list_all, list_shared
from chatd.storage.reads.read import list_chats, read_chat_of_key
from chatd.storage.tables import search


async def list_(asked: Asked[bodies.ListChats, Nothing]) -> bodies.ChatPage:
    query, family = asked.query, asked.known.standing.family
    if family is not None:
        return await _listed_of_family(asked, family)
    if query.key is not None:
        return await _listed_by_key(asked, query.key)
    if query.source == "all" or query.owner is not None:
        return await _listed_of_others(asked)
    if query.source == "shared":
        return await _listed_shared(asked)
    if query.q:
        return await _found(asked)
    page = await list_chats(
        asked.store.db,
        asked.user.id,
        archived=query.archived,
        title=query.title,
        labels=_wanted_labels(query.label),
        unread=query.unread,
        after=place_at(query.cursor) if query.cursor is not None else None,
        limit=query.limit,
    )
    views = await show_page(asked, page.chats, own, around=page.around)
    return bodies.ChatPage(chats=views, next=cursor_of(page.next) if page.next else None)


async def _listed_of_family(asked: Asked[bodies.ListChats, Nothing], family: ChatId) -> bodies.ChatPage:
    """With a token for one family of chats there is nothing else to be listed."""
    query = asked.query
    seen = await readable(asked.known, asked.store.db, family, asked.server.policy)
    of_owner = query.key is not None or bool(query.label)
    if seen is None or query.key not in (None, seen.chat.key) or (of_owner and seen.view is not View.FULL):
        return bodies.ChatPage(chats=())
    chat = seen.chat
    around = await read_around(asked.store.db, asked.user.id, (chat,))
    # By their own read mark: how far its owner has read is nothing for others.
    if query.unread not in (None, chat.is_unread_after(around.get(chat.id, GONE).marks.read_id)):
        return bodies.ChatPage(chats=())
    if query.q:
        return await _found(asked, only=seen)
    labels = _wanted_labels(query.label)
    is_wanted = (
        chat.archived is query.archived
        and query.title.casefold() in chat.title.casefold()
        and labels.items() <= chat.labels.items()
        and query.cursor is None
    )
    views = await show_page(asked, (chat,) if is_wanted else (), lambda _: seen, around=around)
    return bodies.ChatPage(chats=views)


async def _listed_by_key(asked: Asked[bodies.ListChats, Nothing], key: str) -> bodies.ChatPage:
    query = asked.query
    if query.q or query.title or query.label or query.unread is not None or query.cursor is not None:
        raise BadInput(
            "bad_value",
            "`key` names one chat; it goes with no other filter and no cursor.",
            field="key",
            hint="Leave `q`, `title`, `label`, `unread` and `cursor` out.",
        )
    checks.key(key)
    made = await read_chat_of_key(asked.store.db, asked.user.id, key)
    chats = (made[1],) if made is not None else ()
    return bodies.ChatPage(chats=await show_page(asked, chats, own))


async def _listed_shared(asked: Asked[bodies.ListChats, Nothing]) -> bodies.ChatPage:
    """Chats of others that were shared with the caller. Labels are their owners'."""
    query, db, policy = asked.query, asked.store.db, asked.server.policy
    if query.label:
        raise BadInput("bad_value", "Labels are for the owner of a chat.", field="label")
    if policy.sharing is Sharing.OFF:
        return bodies.ChatPage(chats=())
    who = SharedWith(asked.user.id, is_for_everyone(asked.user.kind, policy))
    if query.q:
        return await _found_shared(asked, who)
    page = await list_shared(
        db,
        who,
        archived=query.archived,
        title=query.title,
        unread=query.unread,
        after=place_at(query.cursor) if query.cursor is not None else None,
        limit=query.limit,
    )
    see = await _seen_of(asked, page.chats)
    views = await show_page(asked, [chat for chat in page.chats if chat.id in see], lambda chat: see[chat.id])
    return bodies.ChatPage(chats=views, next=cursor_of(page.next) if page.next else None)


async def _found_shared(asked: Asked[bodies.ListChats, Nothing], who: SharedWith) -> bodies.ChatPage:
    query = asked.query
    among = search.Filter(
        owner_id=asked.user.id,
        shared_with=who,
        archived=query.archived,
        title=query.title,
        unread=query.unread,
    )
    before = found_place_at(query.cursor) if query.cursor is not None else None
    terms = checks.search_terms(query.q)
    page = await search.find_chats(asked.store.db, among, terms, before=before, limit=query.limit)
    see = await _seen_of(asked, [each.chat for each in page.found])
    found = [each for each in page.found if each.chat.id in see]
    return await _with_places(asked, found, page.next, lambda chat: see[chat.id])


async def _seen_of(asked: Asked[bodies.ListChats, Nothing], chats: Sequence[Chat]) -> dict[ChatId, Seen]:
    """By `permit`, of those that the caller may read: what was taken back meanwhile is left out."""
    db, policy, known = asked.store.db, asked.server.policy, asked.known
    related = {chat.id: await read_relation(db, asked.user, chat, policy) for chat in chats}
    return {
        chat.id: seen_by(known, (Deed.CHAT_READ,), chat, related[chat.id], policy)
        for chat in chats
        if may_in(known, Deed.CHAT_READ, chat, related[chat.id].relation, policy)
    }


async def _listed_of_others(asked: Asked[bodies.ListChats, Nothing]) -> bodies.ChatPage:
    """For administrators, and for a service the chats of its end users: that they are there, and whose."""
    query, user = asked.query, asked.user
    is_service = user.kind is UserKind.SERVICE
    if not is_service and not may_in_any_chat(asked.known, Deed.CHAT_COST, asked.server.policy):
        raise not_permitted(Deed.CHAT_LIST)
    if query.q or query.label or query.unread is not None:
        raise BadInput(
            "bad_value",
            "Chats of others are listed by their titles, and not searched.",
            hint="Leave `q`, `label` and `unread` out.",
        )
    page = await list_all(
        asked.store.db,
        owner_id=query.owner,
        service_id=user.id if is_service else None,
        archived=query.archived,
        title=query.title if asked.server.policy.admins_read_chats is AdminsRead.AUDITED else "",
        after=place_at(query.cursor) if query.cursor is not None else None,
        limit=query.limit,
    )
    relation = STEWARD if is_service else STRANGER

    def see(chat: Chat) -> Seen:
        related = OWNER if chat.owner_id == user.id else relation
        return Seen(chat=chat, related=related, view=View.LIGHT, shows_queue=False)

    views = await show_page(asked, page.chats, see)
    return bodies.ChatPage(chats=views, next=cursor_of(page.next) if page.next else None)


async def _found(asked: Asked[bodies.ListChats, Nothing], *, only: Seen | None = None) -> bodies.ChatPage:
    """`only` is the chat among whose family is looked, and of which `unread` was compared already."""
    query = asked.query
    page = await search.find_chats(
        asked.store.db,
        search.Filter(
            owner_id=only.chat.owner_id if only is not None else asked.user.id,
            only=only.chat.family if only is not None else None,
            archived=query.archived,
            title=query.title,
            labels=_wanted_labels(query.label),
            unread=query.unread if only is None else None,
        ),
        checks.search_terms(query.q),
        before=found_place_at(query.cursor) if query.cursor is not None else None,
        limit=query.limit,
    )
    see = own if only is None else lambda _: only
    return await _with_places(asked, page.found, page.next, see)


async def _with_places(
    asked: Asked[bodies.ListChats, Nothing],
    found: Sequence[search.Found],
    more: int | None,
    see: Callable[[Chat], Seen],
) -> bodies.ChatPage:
    """Chats that were found, each with where."""
    listed = await show_page(asked, [each.chat for each in found], see)
    views = [
        replace(view, found=bodies.FoundView(message_id=each.message_id, snippet=each.snippet))
        for view, each in zip(listed, found, strict=True)
    ]
    return bodies.ChatPage(chats=tuple(views), next=cursor_of(more) if more is not None else None)


def _wanted_labels(given: Sequence[str]) -> dict[str, str]:
    wanted: dict[str, str] = {}
    for word in given:
        key, colon, value = word.partition(":")
        if not colon:
            raise BadInput("bad_label", f"{word!r} is not of the form key:value.", field="label")
        checks.label(key, value, field="label")
        if wanted.setdefault(key, value) != value:
            raise BadInput("bad_label", f"No chat has two values for the label {key!r}.", field="label")
    return wanted
