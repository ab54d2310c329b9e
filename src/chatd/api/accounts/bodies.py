"""The shapes of signing in."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.accounts.tokens.tokens import OLD_SECONDS_MAX, TOKEN_DAYS, TOKEN_DAYS_MAX
from chatd.accounts.ways_in.passwords.rules import LENGTH_MAX
from chatd.accounts.ways_in.sign_ins import Method
from chatd.api.bodies.fields import Name
from chatd.domain.people.rates import NO_RATES, PER_MINUTE_MAX, Rates
from chatd.domain.people.roles import UserRole
from chatd.domain.people.scopes import TokenScope
from chatd.live.shapes import Moment

SECRET_LENGTH_MAX = 1000
ID_LENGTH_MAX = 100
Secret = Annotated[str, Meta(min_length=1, max_length=SECRET_LENGTH_MAX)]


class MethodList(Struct, frozen=True, kw_only=True):
    methods: Annotated[tuple[Method, ...], Meta(description="The ways in which people can sign in here.")]
    oidc_name: Annotated[
        str | None, Meta(description="What the identity provider is called, if there is one.")
    ] = None


class Exchange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of both."""

    code: Annotated[Secret | None, Meta(description="What comes behind `#` in a one-time link.")] = None
    token: Annotated[Secret | None, Meta(description="A token; the sign-in ends when it is withdrawn.")] = (
        None
    )


class SignInWithPassword(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=SECRET_LENGTH_MAX)]
    password: Annotated[str, Meta(min_length=1, max_length=2 * LENGTH_MAX)]

    def __repr__(self) -> str:
        return "SignInWithPassword(…)"


class SignOut(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    everywhere: Annotated[
        bool, Meta(description="Whether all other browsers of yours are signed out too.")
    ] = False


class OwnAccount(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    display_name: Annotated[str, Meta(description="How you are shown to others; empty: by your name.")]
    email: str | None
    role: UserRole
    sign_in_id: Annotated[
        str | None, Meta(description="Which of your sign-ins this request belongs to; null with a token.")
    ] = None
    has_password: Annotated[
        bool | None, Meta(description="Whether you can sign in with one; null where passwords are off.")
    ] = None


class SignInView(Struct, frozen=True, kw_only=True):
    id: str
    method: Method
    current: Annotated[bool, Meta(description="Whether it is the one of this request.")]
    created_at: Moment
    used_at: Annotated[Moment, Meta(description="The last use, to about an hour.")]
    ends_at: Annotated[Moment, Meta(description="If it is not used before.")]
    address: str
    browser: Annotated[str, Meta(description="What the browser calls itself.")]


class SignInList(Struct, frozen=True, kw_only=True):
    sign_ins: tuple[SignInView, ...]


PerMinute = Annotated[int, Meta(ge=1, le=PER_MINUTE_MAX)] | None


class RatesBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How many in a minute. What is not named is the usual number."""

    requests: PerMinute = None
    turns: Annotated[PerMinute, Meta(description="Of these, those that have an agent work.")] = None
    uploads: PerMinute = None
    streams: Annotated[PerMinute, Meta(description="Streams that are opened.")] = None

    @property
    def rates(self) -> Rates:
        return Rates(requests=self.requests, turns=self.turns, uploads=self.uploads, streams=self.streams)


def rates_body(rates: Rates) -> RatesBody | None:
    if rates == NO_RATES:
        return None
    return RatesBody(requests=rates.requests, turns=rates.turns, uploads=rates.uploads, streams=rates.streams)


class CreateToken(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: Annotated[Name, Meta(description="What it is for, visible text on one line.")]
    scopes: Annotated[
        Annotated[tuple[TokenScope, ...], Meta(max_length=len(TokenScope))] | UnsetType,
        Meta(
            description="What it may be used for, never more than you may do. Without it: to chat "
            "(`chats:read`, `chats:write`, `files:write`, `models:read`).",
        ),
    ] = UNSET
    days: Annotated[
        int,
        Meta(ge=1, le=TOKEN_DAYS_MAX, description="How long it counts; no longer than the token shown."),
    ] = TOKEN_DAYS
    chat_id: Annotated[
        Annotated[str, Meta(max_length=ID_LENGTH_MAX)] | None,
        Meta(description="A chat: the token is then good for it and those that work for it, and no other."),
    ] = None
    rates: Annotated[
        RatesBody | None,
        Meta(description="How often it may be used, where that is less than its user may do."),
    ] = None


class RotateToken(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    old_seconds: Annotated[
        int, Meta(ge=0, le=OLD_SECONDS_MAX, description="How long the secret of before still counts.")
    ] = 0


class TokenView(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    shown: Annotated[str, Meta(description="The beginning of its secret, to recognise it by.")]
    scopes: tuple[TokenScope, ...]
    created_at: Moment
    expires_at: Annotated[Moment | None, Meta(description="When it ends, or has ended; null: never.")]
    used_at: Annotated[Moment | None, Meta(description="The last use, to about an hour.")]
    old_until: Annotated[
        Moment | None, Meta(description="Until when the secret before the last rotation counts.")
    ]
    of_server: Annotated[
        bool, Meta(description="It is in the data directory or the settings of the server: change it there.")
    ]
    chat_id: Annotated[
        str | None, Meta(description="The only chat that it is good for, with those that work for it.")
    ] = None
    made_by: Annotated[
        str | None,
        Meta(description="Who has made it: an administrator for a service, or a service."),
    ] = None
    rates: Annotated[
        RatesBody | None, Meta(description="How often it may be used, beside what its user may do.")
    ] = None


class NewTokenView(TokenView, frozen=True, kw_only=True):
    token: Annotated[str, Meta(description="Shown here, and never again.")]


class TokenList(Struct, frozen=True, kw_only=True):
    tokens: Annotated[tuple[TokenView, ...], Meta(description="The newest first.")]


class SignedOut(Struct, frozen=True, kw_only=True):
    signed_out: Literal[True] = True
