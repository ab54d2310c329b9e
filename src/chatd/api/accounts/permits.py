"""What the caller may do, for pages that offer only what works."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.accounts.relations import read_relation
from chatd.api.bodies import Nothing
from chatd.api.router import Asked
from chatd.api.serving.callers.permits import chat_not_found, may_in
from chatd.domain.ids import ChatId
from chatd.domain.people.deeds import CHAT_DEEDS, OTHER_DEEDS, Deed
from chatd.domain.people.permit import Sharing
from chatd.kit.text import is_plain
from chatd.storage.reads.read import read_chat

CHAT_ID_LENGTH_MAX = 100


class PermitsQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    chat: Annotated[
        Annotated[str, Meta(max_length=CHAT_ID_LENGTH_MAX)] | None,
        Meta(description="The id of a chat, to be told what you may do with it as well."),
    ] = None


class PermitList(Struct, frozen=True, kw_only=True):
    deeds: Annotated[
        tuple[str, ...],
        Meta(description="Such as `chat.create`: those that would not be refused to you now."),
    ]
    public_links: Annotated[
        bool, Meta(description="Whether this server has public links of chats, for those who may share them.")
    ] = False
    sharing: Annotated[
        Sharing,
        Meta(
            description="With whom chats may be shared on this server, by those who may share them: `off` is "
            "with nobody, `people` with users and groups, `everyone` also with all who are signed in."
        ),
    ] = Sharing.OFF


async def list_(asked: Asked[PermitsQuery, Nothing]) -> PermitList:
    may: list[Deed] = [deed for deed in OTHER_DEEDS if deed is not Deed.ENTER and asked.may(deed)]
    if asked.query.chat is not None:
        may += await _in_chat(asked, ChatId(asked.query.chat))
    policy = asked.server.policy
    return PermitList(deeds=tuple(may), public_links=policy.public_links, sharing=policy.sharing)


async def _in_chat(asked: Asked[PermitsQuery, Nothing], chat_id: ChatId) -> list[Deed]:
    """A chat with which the caller may do nothing does not exist for them."""
    db = asked.store.db
    chat = await read_chat(db, chat_id) if is_plain(chat_id) else None
    if chat is None:
        raise chat_not_found(chat_id)
    related = await read_relation(db, asked.user, chat, asked.server.policy)
    known, policy = asked.known, asked.server.policy
    deeds = [deed for deed in CHAT_DEEDS if may_in(known, deed, chat, related.relation, policy)]
    if not deeds:
        raise chat_not_found(chat_id)
    return deeds
