"""Chats: started, listed, changed, deleted, and carried elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from chatd.client.answers import Chat, ChatPage, ChildList, ProposedTitle
from chatd.client.asynchronous.calls import CHATS, Calls, Content, chat_path, given, named, parts
from chatd.client.pages import Pages


class ChatCalls(Calls):
    async def create_chat(
        self,
        content: Content,
        *,
        history: Sequence[Mapping[str, Any]] | None = None,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        instructions: str | None = None,
        client_tools: Sequence[Mapping[str, Any]] | None = None,
        client_deadline_seconds: int | UnsetType | None = UNSET,
        options: Mapping[str, Any] | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
        key: str | None = None,
        message_key: str | None = None,
        temporary: bool = False,
        workspace: str | UnsetType | None = UNSET,
        mcp_servers: Sequence[str] | UnsetType | None = UNSET,
        mode: str | UnsetType | None = UNSET,
        delegation: bool | UnsetType = UNSET,
    ) -> Chat:
        """`key` is your own name for the chat: the same call with it again makes no second one.
        `message_key` is the same for the first message, as `key` of `send` is for others.

        `history` has messages from before `content`, as the `messages` of an export. A temporary chat is in
        no list, and is removed an hour after its last turn has ended. `workspace` is the directory in which
        the agent works; None is none. `mcp_servers` are ids or slugs; None are those that are on by default.
        With the `mode` `plan` the agent proposes a plan, and changes nothing else.
        """
        body = given(
            content=parts(content),
            history=history,
            title=title,
            labels=labels,
            instructions=instructions,
            client_tools=client_tools,
            options=options,
            model=model,
            reasoning_effort=reasoning_effort,
            key=key,
            message_key=message_key,
            temporary=temporary or None,
        )
        body |= named(
            client_deadline_seconds=client_deadline_seconds,
            workspace=workspace,
            mcp_servers=mcp_servers,
            mode=mode,
            delegation=delegation,
        )
        return await self._http.ask("POST", CHATS, Chat, body=body)

    def chats(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        q: str | None = None,
        title: str | None = None,
        archived: bool | None = None,
        unread: bool | None = None,
        labels: Mapping[str, str] | None = None,
        key: str | None = None,
        source: str | None = None,
        owner: str | None = None,
    ) -> Pages[ChatPage, Chat]:
        """The caller's chats: pinned ones first, then the newest; or the chat of this key.

        With `q` only those with all of these words in one message or in the title. `found` of each chat tells
        where, and the chats of the newest such messages come first.
        `source="shared"`: those of others that were shared with you. Administrators list all chats with
        `source="all"`, or those of one `owner`, by id.
        """
        query = {
            "limit": limit,
            "cursor": cursor,
            "q": q,
            "title": title,
            "archived": archived,
            "unread": unread,
            "label": [f"{name}:{value}" for name, value in (labels or {}).items()],
            "key": key,
            "source": source,
            "owner": owner,
        }
        return self._pages(CHATS, ChatPage, query)

    async def chat(self, chat_id: str) -> Chat:
        return await self._http.ask("GET", chat_path(chat_id), Chat)

    async def change_chat(
        self,
        chat_id: str,
        *,
        title: str | UnsetType = UNSET,
        labels: Mapping[str, str] | UnsetType = UNSET,
        archived: bool | UnsetType = UNSET,
        pin_order: int | UnsetType = UNSET,
        last_read_message_id: int | UnsetType = UNSET,
        mcp_servers: Sequence[str] | UnsetType | None = UNSET,
        mode: str | UnsetType | None = UNSET,
        delegation: bool | UnsetType = UNSET,
    ) -> Chat:
        """All of what is named, or nothing."""
        body = named(
            title=title,
            labels=labels,
            archived=archived,
            pin_order=pin_order,
            last_read_message_id=last_read_message_id,
            mcp_servers=mcp_servers,
            mode=mode,
            delegation=delegation,
        )
        return await self._http.ask("PATCH", chat_path(chat_id), Chat, body=body)

    async def delete_chat(self, chat_id: str) -> None:
        await self._http.ask_bytes("DELETE", chat_path(chat_id))

    async def children(self, chat_id: str) -> ChildList:
        """The chats that work for this one, the one that was changed last first."""
        return await self._http.ask("GET", f"{chat_path(chat_id)}/children", ChildList)

    async def regenerate_title(self, chat_id: str) -> Chat:
        """Have a model find a title for the chat, instead of the one that it has."""
        return await self._http.ask("POST", f"{chat_path(chat_id)}/title/regenerate", Chat)

    async def propose_title(self, chat_id: str) -> str:
        """The same, and nothing is kept."""
        return (await self._http.ask("POST", f"{chat_path(chat_id)}/title/propose", ProposedTitle)).title

    async def export(self, chat_id: str, *, format: str = "json") -> bytes:
        """The chat as a file: `json`, which can be imported, or `markdown`, for people."""
        return await self._http.ask_bytes("GET", f"{chat_path(chat_id)}/export", query={"format": format})

    async def import_chat(self, exported: Mapping[str, Any]) -> Chat:
        return await self._http.ask("POST", f"{CHATS}/import", Chat, body=exported)
