"""A chat as guests watch it."""

from contextlib import aclosing

from chatd.accounts.sharing.guests import Guest
from chatd.api.bodies import Nothing
from chatd.api.chats.streams.stream import Batches, Opened, OtherView, StreamRequest
from chatd.api.guests.guests import guest_of, sight_of
from chatd.api.router import Asked
from chatd.api.serving.callers.guests import no_such_link
from chatd.domain.ids import Micros
from chatd.errors import NotFound
from chatd.live.events import Batch
from chatd.live.guests.events import GuestAccessEnded
from chatd.live.guests.watch import watch_as_guest


async def watch(asked: Asked[Nothing, Nothing], request: StreamRequest) -> Opened:
    guest = await guest_of(asked)
    # No link counts longer than who has made it.
    asked.server.live.streams.concern(request.bell, frozenset({guest.link.made_by}))

    async def ask_again(_: bool) -> Micros | None:  # noqa: FBT001 - as in AskAgain
        now = await guest_of(asked)
        if (now.link.include, now.line) != (guest.link.include, guest.line):
            # Who comes back is shown what the link shows now.
            raise OtherView
        return now.link.expires_at

    return Opened(
        batches=_batches(asked, request, guest),
        ask_again=ask_again,
        farewell=Batch((GuestAccessEnded(),)),
        access=guest.access,
        until=guest.link.expires_at,
    )


async def _batches(asked: Asked[Nothing, Nothing], request: StreamRequest, guest: Guest) -> Batches:
    live, link = asked.server.live, guest.link
    watched = watch_as_guest(
        asked.store, live.board, live.clock, link.chat_id, sight_of(guest), bell=request.bell
    )
    with asked.server.guests.streams.opened(link.id, asked.visit.network):
        try:
            async with aclosing(watched) as batches:  # type: ignore[type-var]  # it is a generator
                async for batch in batches:
                    yield batch
        except NotFound:
            # That the chat is gone is no other answer than any other.
            raise no_such_link() from None
