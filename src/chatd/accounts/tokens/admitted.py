"""Whom a secret lets in: the user of a token or of a sign-in, and what they may be used for."""

from msgspec import Struct

from chatd.accounts.tokens.rates import OwnRates, rates_in
from chatd.accounts.tokens.shown import shown_token
from chatd.accounts.tokens.tokens import NOTED_AFTER_MICROS, scopes_in
from chatd.accounts.users import User, user_of
from chatd.accounts.ways_in.sign_ins import LASTS_MICROS, UNUSED_MICROS
from chatd.accounts.ways_in.sign_ins import NOTED_AFTER_MICROS as SIGN_IN_NOTED_AFTER_MICROS
from chatd.domain.ids import ChatId, Micros
from chatd.domain.people.scopes import ALL_SCOPES, TokenScope
from chatd.errors import Unauthenticated, Unavailable
from chatd.storage.database import Database, Pace


class Admitted(Struct, frozen=True, kw_only=True):
    user: User
    scopes: frozenset[TokenScope] = ALL_SCOPES
    # Of the token, if there is one and it ends.
    expires_at: Micros | None = None
    sign_in_id: str | None = None
    token_id: str | None = None
    # The root of the only family of chats that the token is good for.
    family: ChatId | None = None
    # Who acts, if it is a service on behalf of the user.
    service: User | None = None
    # What counts when requests are counted, beside what is usual.
    rates: OwnRates = OwnRates()


async def with_token(db: Database, token_hash: str) -> Admitted | None:
    """None for a token that is unknown or was revoked. Raises Unauthenticated for one that counts no more."""
    row = await db.read(
        lambda tx: tx.one("user_of_token", token_hash, NOTED_AFTER_MICROS), pace=Pace.ONE_QUERY
    )
    if row is None:
        return None
    shown = shown_token(row)
    if shown.has_ended:
        raise Unauthenticated(
            "token_expired", "This token has ended.", hint="Make a new one, or have it made."
        )
    check_active(is_suspended=shown.suspended)
    if shown.speaker is not None:
        check_active(is_suspended=shown.speaker.suspended)
        if not shown.speaker.may:
            return None
    if shown.is_to_be_noted:
        await _note(db, "use_token", shown.id)
    return Admitted(
        user=shown.user,
        scopes=shown.scopes,
        expires_at=shown.expires_at,
        token_id=shown.id,
        family=shown.family,
        service=shown.speaker.user if shown.speaker is not None else None,
        rates=shown.rates,
    )


async def with_cookie(db: Database, secret_hash: str) -> Admitted | None:
    """The same for a sign-in. One that began with a token is good for what the token is."""
    row = await db.read(
        lambda tx: tx.one("user_of_sign_in", secret_hash, SIGN_IN_NOTED_AFTER_MICROS), pace=Pace.ONE_QUERY
    )
    if row is None:
        return None
    sign_in_id, is_to_be_noted, scopes, expires_at, token_id, rates, is_suspended = row[-7:]
    check_active(is_suspended=is_suspended)
    if is_to_be_noted:
        await _note(db, "use_sign_in", sign_in_id, UNUSED_MICROS, LASTS_MICROS)
    return Admitted(
        user=user_of(row),
        scopes=scopes_in(scopes) if scopes is not None else ALL_SCOPES,
        expires_at=expires_at,
        sign_in_id=sign_in_id,
        rates=OwnRates(token_id=token_id, token=rates_in(rates)),
    )


def check_active(*, is_suspended: bool) -> None:
    """Raises Unauthenticated."""
    if is_suspended:
        raise Unauthenticated(
            "account_suspended", "Your account is suspended.", hint="An administrator can activate it again."
        )


async def _note(db: Database, query: str, *arguments: object) -> None:
    try:
        await db.write(lambda tx: tx.run(query, *arguments))
    except Unavailable:
        pass  # It is noted with a later request; this one may well be answered without.
