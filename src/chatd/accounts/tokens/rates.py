"""Limits in a minute that a token or a service has of its own, as they are stored."""

from msgspec import Struct

from chatd.domain.people.rates import NO_RATES, Rates
from chatd.kit.codec import Decoder, encode_text

_DECODER = Decoder(Rates)


class OwnRates(Struct, frozen=True, kw_only=True):
    """What counts for a caller beside what is usual."""

    # The token that was shown now or to sign in, if it has limits.
    token_id: str | None = None
    token: Rates = NO_RATES
    # Of the service that asks, or speaks for the user.
    service: Rates = NO_RATES


def rates_in(stored: str | None) -> Rates:
    return _DECODER.decode(stored) if stored is not None else NO_RATES


def stored_rates(rates: Rates) -> str | None:
    return encode_text(rates) if rates != NO_RATES else None
