"""The round trips of one model call, as they happen; what is kept of them is worked out afterwards."""

from collections.abc import Mapping

from chatd.kit.clock import Clock, milliseconds, rfc3339
from chatd.kit.text import shortened
from chatd.providers.transport.tap import Exchange, Sending
from chatd.records.bodies import Body, safe_body
from chatd.records.run import Attempt, ReceivedResponse, SentRequest
from chatd.records.secrets import HIDDEN, Hide, is_secret_header, safe_address, safe_headers, safe_text

# A model asks again at once where a provider has lost the chat so far, and once more at most.
EXCHANGES_MAX = 8
ERROR_CHARACTERS_MAX = 2000


class Exchanges:
    """A `Tap`. Hears everything, works out nothing: it is in the way of a model that speaks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heard: list[_Exchange] = []

    def sent(self, sending: Sending) -> Exchange:
        exchange = _Exchange(sending, self._clock)
        if len(self._heard) < EXCHANGES_MAX:
            self._heard.append(exchange)
        return exchange

    def keys(self) -> set[str]:
        """What must not be told: the keys of these calls, and whatever else went in a secret header."""
        return {key for exchange in self._heard for key in exchange.keys}

    def attempts(self, hide: Hide) -> tuple[Attempt, ...]:
        return tuple(exchange.attempt(hide) for exchange in self._heard)


class _Exchange:
    """An `Exchange`."""

    def __init__(self, sending: Sending, clock: Clock) -> None:
        self.keys = {*sending.keys, *_in_headers(sending.headers)}
        self._private = sending.private
        self._clock = clock
        self._started_at = rfc3339(clock.now_micros())
        self._started = clock.monotonic()
        self._ended: float | None = None
        # Its words alone: the error itself would hold on to the connection that it broke.
        self._error: str | None = None
        self._method, self._url, self._headers = sending.method, sending.url, sending.headers
        # Of many bytes only the beginning, so that a large request is not held longer than its call.
        self._request = Body(sending.body)
        self._status: int | None = None
        self._answer_headers: Mapping[str, str] = {}
        self._answer = Body()

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        self._status = status
        self._answer_headers = headers

    def came(self, data: bytes) -> None:
        self._answer.add(data)

    def ended(self, error: BaseException | None = None) -> None:
        if self._ended is None:
            self._ended = self._clock.monotonic()
            self._error = f"{type(error).__name__}: {error}".removesuffix(": ") if error is not None else None

    def attempt(self, hide: Hide) -> Attempt:
        ended = self._ended if self._ended is not None else self._clock.monotonic()
        return Attempt(
            started_at=self._started_at,
            duration_ms=milliseconds(ended - self._started),
            request=SentRequest(
                method=self._method,
                url=safe_address(self._url, hide),
                headers=self._safe_headers(hide),
                body=safe_body(self._request, self._headers.get("content-type", ""), hide),
            ),
            response=self._received(hide),
            error=_without_keys(self._error, hide) if self._error is not None else None,
        )

    def _safe_headers(self, hide: Hide) -> dict[str, str]:
        """A key may be sent in a header of any name, and may be too short to be looked for in texts."""
        return {
            name: HIDDEN if name in self._private or self._headers[name] in self.keys else value
            for name, value in safe_headers(self._headers, hide).items()
        }

    def _received(self, hide: Hide) -> ReceivedResponse | None:
        if self._status is None:
            return None
        headers = self._answer_headers
        return ReceivedResponse(
            status=self._status,
            headers=safe_headers(headers, hide),
            body=safe_body(self._answer, headers.get("content-type", ""), hide),
        )


def _in_headers(headers: Mapping[str, str]) -> set[str]:
    """Some providers repeat what they were sent."""
    return {
        word
        for name, value in headers.items()
        if is_secret_header(name)
        for word in (value, value.rpartition(" ")[2])
    }


def _without_keys(error: str, hide: Hide) -> str:
    """What went wrong, in the words of whatever it went wrong in."""
    return shortened(safe_text(error, hide), ERROR_CHARACTERS_MAX)
