"""As whom the caller is known elsewhere."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.accounts.ways_in.by_header import ISSUER
from chatd.accounts.ways_in.identities import Identity, identities_of
from chatd.api.bodies import Nothing
from chatd.api.router import Asked
from chatd.kit.clock import rfc3339
from chatd.live.shapes import Moment


class IdentityView(Struct, frozen=True, kw_only=True):
    """A person of an identity provider, as whom you can sign in."""

    issuer: Annotated[
        str, Meta(description=f"The address of the provider; `{ISSUER}` for a proxy that says who you are.")
    ]
    subject: Annotated[str, Meta(description="What you are called there.")]
    joined_at: Moment
    used_at: Annotated[Moment | None, Meta(description="Your last sign-in; null: it is not known.")]


class IdentityList(Struct, frozen=True, kw_only=True):
    """In the order in which they were joined to you."""

    identities: tuple[IdentityView, ...]


async def list_(asked: Asked[Nothing, Nothing]) -> IdentityList:
    found = await identities_of(asked.store.db, asked.user.id)
    return IdentityList(identities=tuple(map(_view, found)))


def _view(identity: Identity) -> IdentityView:
    return IdentityView(
        issuer=identity.issuer,
        subject=identity.subject,
        joined_at=rfc3339(identity.joined_at),
        used_at=rfc3339(identity.used_at) if identity.used_at is not None else None,
    )
