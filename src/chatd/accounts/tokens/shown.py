"""What is stored of a token that somebody has shown, and of the service that has made it for them."""

from msgspec import Struct

from chatd.accounts.tokens.rates import OwnRates, rates_in
from chatd.accounts.tokens.tokens import scopes_in
from chatd.accounts.users import User, user_of
from chatd.domain.ids import ChatId, Micros
from chatd.domain.people.acting import ActsFor, Represented, may_act_for
from chatd.domain.people.roles import UserKind
from chatd.domain.people.scopes import TokenScope
from chatd.storage.database import Row

# How many columns a user has, and then how many there are of a token, and of a service.
OF_USER, OF_TOKEN = 5, 10


class Speaker(Struct, frozen=True, kw_only=True):
    """A service that speaks for somebody, or has a page speak for them."""

    user: User
    suspended: bool
    # Whether it is for this service to speak for them, now.
    may: bool


class ShownToken(Struct, frozen=True, kw_only=True):
    id: str
    user: User
    scopes: frozenset[TokenScope]
    has_ended: bool
    is_to_be_noted: bool
    # Of the secret that was shown: one from before a rotation ends earlier than the token.
    expires_at: Micros | None
    suspended: bool
    # Whether the token has another secret by now.
    is_rotated: bool
    # The root of the only family of chats that it is good for.
    family: ChatId | None
    rates: OwnRates
    speaker: Speaker | None

    @property
    def lets_browsers_in(self) -> bool:
        """A browser that is signed in may be used for everything: not with a token that is for one thing.

        Nor with a secret from before a rotation, which it would outlive.
        """
        is_own = self.user.kind is UserKind.PERSON and self.speaker is None and self.family is None
        return is_own and not (self.has_ended or self.suspended or self.is_rotated)


def shown_token(row: Row) -> ShownToken:
    of_token = row[OF_USER:][:OF_TOKEN]
    token_id, scopes, has_ended, is_to_be_noted, expires_at, suspended, is_rotated, *more = of_token
    family, rates, of_service = more
    user = user_of(row)
    return ShownToken(
        id=token_id,
        user=user,
        scopes=scopes_in(scopes),
        has_ended=bool(has_ended),
        is_to_be_noted=bool(is_to_be_noted),
        expires_at=expires_at,
        suspended=bool(suspended),
        is_rotated=bool(is_rotated),
        family=family,
        rates=OwnRates(token_id=token_id, token=rates_in(rates), service=rates_in(of_service)),
        speaker=speaker_in(row[OF_USER + OF_TOKEN :], user, suspended=bool(suspended)),
    )


def speaker_in(row: Row, user: User, *, suspended: bool) -> Speaker | None:
    """From the columns of a service beside those of the user for whom it would speak."""
    if row[0] is None:
        return None
    service = user_of(row)
    is_suspended, acts_for, is_in_group = row[OF_USER:]
    who = Represented(
        kind=user.kind,
        role=user.role,
        suspended=suspended,
        is_own=user.service_id == service.id,
        is_in_group=bool(is_in_group),
    )
    may = acts_for is not None and may_act_for(ActsFor(acts_for), who)
    return Speaker(user=service, suspended=bool(is_suspended), may=may)
