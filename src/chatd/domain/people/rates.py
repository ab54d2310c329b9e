"""How often a caller may do what in a minute: the table, and which limits count for whom (pure).

Several limits may count for one request: of the user, of the token that was shown, and of the service that
speaks for the user. Each is a bucket of its own, and the request is counted in all of them: so the smallest
counts.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from chatd.domain.ids import UserId
from chatd.domain.people.permit import Standing
from chatd.domain.people.roles import UserKind, UserRole

PER_MINUTE_MAX = 1_000_000


class Counted(StrEnum):
    REQUESTS = "requests"
    # Of these: what has an agent or a model work. Create, send, edit, retry, compact, find a title.
    TURNS = "turns"
    UPLOADS = "uploads"
    STREAMS = "streams"


class Rates(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """In a minute. None: nothing is said of it. 0: as many as they like."""

    requests: int | None = None
    turns: int | None = None
    uploads: int | None = None
    streams: int | None = None

    def of(self, counted: Counted) -> int | None:
        match counted:
            case Counted.REQUESTS:
                return self.requests
            case Counted.TURNS:
                return self.turns
            case Counted.UPLOADS:
                return self.uploads
            case Counted.STREAMS:
                return self.streams


class CallerKind(StrEnum):
    """Whose row of the table counts."""

    # Administrators, auditors and members.
    PERSON = "person"
    VIEWER = "viewer"
    END_USER = "end_user"
    SERVICE = "service"


# fmt: off
USUAL_RATES: Mapping[CallerKind, Rates] = {
    #                           requests      turns      uploads      streams opened
    CallerKind.PERSON:   Rates(requests=512,  turns=60,  uploads=12,  streams=120),
    # A viewer has no model work and adds no file: the table of deeds says so.
    CallerKind.VIEWER:   Rates(requests=256,                          streams=60),
    CallerKind.END_USER: Rates(requests=120,  turns=20,  uploads=6,   streams=30),
    CallerKind.SERVICE:  Rates(requests=3000, turns=600, uploads=120, streams=1200),
}
# fmt: on

NO_RATES = Rates()


def narrowed(wanted: Rates, within: Rates) -> Rates:
    """What a token may have that is made with another one: of each, the smaller."""

    def smaller(one: int | None, other: int | None) -> int | None:
        return min(one, other) if one and other else one or other

    return Rates(
        requests=smaller(wanted.requests, within.requests),
        turns=smaller(wanted.turns, within.turns),
        uploads=smaller(wanted.uploads, within.uploads),
        streams=smaller(wanted.streams, within.streams),
    )


class Limit(Struct, frozen=True):
    """One bucket: whose it is, and how many it takes in a minute. 0: any number."""

    holder: str
    per_minute: int


class Party(Struct, frozen=True, kw_only=True):
    """What counts of a caller here, beside their standing."""

    user_id: UserId
    token_id: str | None = None
    # Of the token.
    token_rates: Rates = NO_RATES
    # Of whom speaks for an end user; of the caller, if the caller is a service.
    service_id: UserId | None = None
    # What that service has instead of the usual.
    service_rates: Rates = NO_RATES


def kind_of(standing: Standing) -> CallerKind:
    match standing.kind:
        case UserKind.END_USER:
            return CallerKind.END_USER
        case UserKind.SERVICE:
            return CallerKind.SERVICE
        case UserKind.PERSON if standing.role is UserRole.VIEWER:
            return CallerKind.VIEWER
        case UserKind.PERSON:
            return CallerKind.PERSON


def limits_of(
    table: Mapping[CallerKind, Rates], counted: Counted, standing: Standing, party: Party
) -> Iterator[Limit]:
    """Those that count for a caller. A row that says nothing is no limit."""
    kind = kind_of(standing)
    if kind is not CallerKind.SERVICE and (per_minute := table[kind].of(counted)):
        yield Limit(party.user_id, per_minute)
    if kind is CallerKind.SERVICE or party.service_id is not None:
        own = party.service_rates.of(counted)
        per_minute = own if own is not None else table[CallerKind.SERVICE].of(counted)
        if per_minute:
            yield Limit(party.service_id or party.user_id, per_minute)
    if party.token_id is not None and (per_minute := party.token_rates.of(counted)):
        yield Limit(f"token {party.token_id}", per_minute)
