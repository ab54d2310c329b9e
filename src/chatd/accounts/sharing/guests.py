"""Guests: whom the code of a public link lets in, and to what."""

from msgspec import Struct

from chatd.accounts.sharing.links import link_of
from chatd.domain.people.links import LineOfHistory, PublicLink
from chatd.storage.database import Connection


class Guest(Struct, frozen=True, kw_only=True):
    """Who has shown the code of a link that counts, and what there is to see for them."""

    link: PublicLink
    # What was in the history when the link was made; None: it follows on.
    line: LineOfHistory | None
    title: str
    # What the owner is called; empty when they have not said.
    owner_name: str
    # The version of who may do what with the chat.
    access: int


async def guest_with(tx: Connection, code_hash: str) -> Guest | None:
    """None, whatever stands in the way."""
    row = await tx.one("link_of_code", code_hash)
    if row is None:
        return None
    *columns, access, title, owner_name = row
    link = link_of(columns)
    line = None
    if link.up_to is not None:
        pieces = await tx.all("line_of_link", link.chat_id, link.up_to.branch)
        line = LineOfHistory.of(((int(branch), int(before)) for branch, before in pieces), link.up_to)
    return Guest(link=link, line=line, title=title, owner_name=owner_name, access=access)
