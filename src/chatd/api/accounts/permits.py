"""What the caller may do, for pages that offer only what works."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.api.bodies import Nothing
from chatd.api.router import Asked
from chatd.api.serving.permits import chat_not_found
from chatd.domain.chat import Chat
from chatd.domain.ids import ChatId
from chatd.domain.people.deeds import CHAT_DEEDS, OTHER_DEEDS, Deed
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


async def list_(asked: Asked[PermitsQuery, Nothing]) -> PermitList:
    chat = await _chat(asked) if asked.query.chat is not None else None
    may: list[Deed] = [deed for deed in OTHER_DEEDS if deed is not Deed.ENTER and asked.may(deed)]
    if chat is not None:
        may += [deed for deed in CHAT_DEEDS if asked.may(deed, chat)]
    return PermitList(deeds=tuple(may))


async def _chat(asked: Asked[PermitsQuery, Nothing]) -> Chat:
    """One with which the caller may do nothing does not exist for them."""
    chat_id = ChatId(asked.query.chat or "")
    chat = await read_chat(asked.store.db, chat_id) if is_plain(chat_id) else None
    if chat is None or not any(asked.may(deed, chat) for deed in CHAT_DEEDS):
        raise chat_not_found(chat_id)
    return chat
