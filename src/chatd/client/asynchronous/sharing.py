"""With whom a chat is shared, its public links, to whom it is offered, and what everybody marks in it."""

from collections.abc import Sequence
from urllib.parse import quote

from chatd.client.answers import (
    Chat,
    Grant,
    GrantList,
    Marks,
    PublicLink,
    PublicLinkList,
    Transfer,
    TransferList,
)
from chatd.client.asynchronous.calls import Calls, chat_path, given


class SharingCalls(Calls):
    async def grants(self, chat_id: str) -> tuple[Grant, ...]:
        """With whom a chat is shared; for those it was shared with, what is their own."""
        return (await self._http.ask("GET", f"{chat_path(chat_id)}/grants", GrantList)).grants

    async def grant(self, chat_id: str, subject: str, *, kind: str = "user") -> Grant:
        """What a user or a group was granted, by id or name; or `everyone`, called `all`."""
        return await self._http.ask("GET", _grant(chat_id, kind, subject), Grant)

    async def share(
        self,
        chat_id: str,
        subject: str,
        *,
        kind: str = "user",
        role: str = "reader",
        expires_at: str | None = None,
    ) -> Grant:
        """Let a user, a group or everyone read a chat, or with the role `writer` send messages too.

        The owner pays for what they send.
        """
        body = {"role": role, **given(expires_at=expires_at)}
        return await self._http.ask("PUT", _grant(chat_id, kind, subject), Grant, body=body)

    async def unshare(self, chat_id: str, subject: str, *, kind: str = "user") -> None:
        """Take it back. Whoever watches is cut off."""
        await self._http.ask_bytes("DELETE", _grant(chat_id, kind, subject))

    async def public_links(self, chat_id: str) -> tuple[PublicLink, ...]:
        """The public links of a chat that have not ended, without their codes."""
        return (await self._http.ask("GET", f"{chat_path(chat_id)}/links", PublicLinkList)).links

    async def make_public_link(
        self, chat_id: str, *, days: int | None = None, live: bool = False, include: Sequence[str] = ()
    ) -> PublicLink:
        """Let whoever has its `code` read the chat, for seven days unless you say otherwise.

        `live`: they see what is said from now on. `include`: reasoning, tools, files.
        """
        body = {"live": live, "include": include, **given(days=days)}
        return await self._http.ask("POST", f"{chat_path(chat_id)}/links", PublicLink, body=body)

    async def change_public_link(
        self,
        chat_id: str,
        link_id: str,
        *,
        days: int | None = None,
        live: bool | None = None,
        include: Sequence[str] | None = None,
    ) -> PublicLink:
        """Days are counted from now on."""
        body = given(days=days, live=live, include=include)
        return await self._http.ask("PATCH", _link(chat_id, link_id), PublicLink, body=body)

    async def end_public_link(self, chat_id: str, link_id: str) -> None:
        """Guests are cut off."""
        await self._http.ask_bytes("DELETE", _link(chat_id, link_id))

    async def transfers(self) -> tuple[Transfer, ...]:
        """Chats that are offered to you."""
        return (await self._http.ask("GET", "/api/v1/transfers", TransferList)).transfers

    async def offered_transfers(self) -> tuple[Transfer, ...]:
        """Chats that you offer to others."""
        return (await self._http.ask("GET", "/api/v1/transfers", TransferList)).offered

    async def transfer(self, chat_id: str) -> Transfer:
        """To whom a chat is offered."""
        return await self._http.ask("GET", f"{chat_path(chat_id)}/transfer", Transfer)

    async def offer_chat(self, chat_id: str, to: str, *, keep: str = "nothing", reason: str = "") -> Transfer:
        """Offer it to another user, by id or name. `keep`: writer, reader or nothing, for you afterwards.

        An administrator gives a reason, and then it is theirs.
        """
        body = {"to": to, "keep": keep, **({"reason": reason} if reason else {})}
        return await self._http.ask("POST", f"{chat_path(chat_id)}/transfer", Transfer, body=body)

    async def accept_chat(self, chat_id: str) -> Chat:
        """From now on it is yours, and you pay for it."""
        return await self._http.ask("POST", f"{chat_path(chat_id)}/transfer/accept", Chat)

    async def decline_chat(self, chat_id: str) -> None:
        await self._http.ask_bytes("POST", f"{chat_path(chat_id)}/transfer/decline")

    async def withdraw_chat(self, chat_id: str) -> None:
        """Take the offer back."""
        await self._http.ask_bytes("DELETE", f"{chat_path(chat_id)}/transfer")

    async def mark(
        self,
        chat_id: str,
        *,
        read_id: int | None = None,
        pin_order: int | None = None,
        muted: bool | None = None,
    ) -> Marks:
        """What you mark in a chat for yourself. Nobody else's moves."""
        body = given(read_id=read_id, pin_order=pin_order, muted=muted)
        return await self._http.ask("PUT", f"{chat_path(chat_id)}/mark", Marks, body=body)


def _grant(chat_id: str, kind: str, subject: str) -> str:
    return f"{chat_path(chat_id)}/grants/{kind}/{quote(subject, safe='')}"


def _link(chat_id: str, link_id: str) -> str:
    return f"{chat_path(chat_id)}/links/{quote(link_id, safe='')}"
