"""What is said in a chat, what waits to be said, and its turns."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from chatd.client.answers import (
    Branch,
    BranchList,
    Chat,
    Edited,
    Message,
    MessagePage,
    PromptList,
    Sent,
    UserPrompt,
)
from chatd.client.asynchronous.calls import Calls, Content, chat_path, given, named, parts
from chatd.client.pages import Pages


class MessageCalls(Calls):
    def messages(
        self,
        chat_id: str,
        *,
        before_id: int | None = None,
        after_id: int | None = None,
        limit: int | None = None,
        branch: int | None = None,
    ) -> Pages[MessagePage, Message]:
        """Newest first; oldest first when only `after_id` is given."""
        query = {"before_id": before_id, "after_id": after_id, "limit": limit, "branch": branch}
        return self._pages(f"{chat_path(chat_id)}/messages", MessagePage, query)

    async def history(self, chat_id: str, *, after_id: int = 0) -> AsyncGenerator[Message, None]:
        """Every message in order, page by page."""
        async for message in self.messages(chat_id, after_id=after_id, limit=200):
            yield message

    async def send(
        self,
        chat_id: str,
        content: Content,
        *,
        when: str | None = None,
        model: str | None = None,
        reasoning_effort: str | None = None,
        instructions: str | None = None,
        client_tools: Sequence[Mapping[str, Any]] | None = None,
        client_deadline_seconds: int | UnsetType | None = UNSET,
        options: Mapping[str, Any] | None = None,
        mcp_servers: Sequence[str] | UnsetType | None = UNSET,
        mode: str | UnsetType | None = UNSET,
        delegation: bool | UnsetType = UNSET,
        key: str | None = None,
    ) -> Sent:
        """`when` is for an agent that is busy: `queue`, `steer` or `interrupt`.

        `instructions`, `client_tools`, `mcp_servers` and `mode` count from this message on, and replace the
        ones of before.
        `key` is your own name for the message: the same call with it again says nothing twice.
        """
        body = given(
            content=parts(content),
            when=when,
            model=model,
            reasoning_effort=reasoning_effort,
            instructions=instructions,
            client_tools=client_tools,
            options=options,
            key=key,
        )
        body |= named(
            client_deadline_seconds=client_deadline_seconds,
            mcp_servers=mcp_servers,
            mode=mode,
            delegation=delegation,
        )
        return await self._http.ask("POST", f"{chat_path(chat_id)}/messages", Sent, body=body)

    async def edit(
        self,
        chat_id: str,
        message_id: int,
        content: Content,
        *,
        model: str | None = None,
        reasoning_effort: str | None = None,
        queue: str | None = None,
    ) -> Edited:
        """`queue` says what becomes of messages that wait: `keep` them, or `drop` them."""
        body = given(content=parts(content), model=model, reasoning_effort=reasoning_effort, queue=queue)
        return await self._http.ask("PATCH", f"{chat_path(chat_id)}/messages/{message_id}", Edited, body=body)

    async def prompts(self, chat_id: str, *, limit: int | None = None) -> tuple[UserPrompt, ...]:
        path = f"{chat_path(chat_id)}/prompts"
        return (await self._http.ask("GET", path, PromptList, query={"limit": limit})).prompts

    async def branches(self, chat_id: str) -> tuple[Branch, ...]:
        return (await self._http.ask("GET", f"{chat_path(chat_id)}/branches", BranchList)).branches

    async def switch_branch(self, chat_id: str, branch: int) -> Chat:
        return await self._http.ask("POST", f"{chat_path(chat_id)}/branches/{branch}/switch", Chat)

    async def delete_queued(self, chat_id: str, queued_id: int) -> None:
        await self._http.ask_bytes("DELETE", f"{chat_path(chat_id)}/queue/{queued_id}")

    async def promote_queued(self, chat_id: str, queued_id: int) -> Chat:
        return await self._http.ask("POST", f"{chat_path(chat_id)}/queue/{queued_id}/promote", Chat)

    async def reorder_queue(self, chat_id: str, queued_ids: Sequence[int]) -> Chat:
        """Those that are not named follow in the order they had."""
        body = {"queued_ids": list(queued_ids)}
        return await self._http.ask("PUT", f"{chat_path(chat_id)}/queue", Chat, body=body)

    async def interrupt(self, chat_id: str, *, message_id: int | None = None, cascade: bool = True) -> Chat:
        """`message_id` stops only the turn of that message: if a newer one runs, it is refused.

        Without `cascade` the chats that work for this one go on.
        """
        body = given(message_id=message_id) | ({} if cascade else {"cascade": False})
        return await self._http.ask("POST", f"{chat_path(chat_id)}/interrupt", Chat, body=body)

    async def compact(self, chat_id: str) -> Chat:
        return await self._http.ask("POST", f"{chat_path(chat_id)}/compact", Chat)

    async def retry(self, chat_id: str) -> Chat:
        return await self._http.ask("POST", f"{chat_path(chat_id)}/retry", Chat)
