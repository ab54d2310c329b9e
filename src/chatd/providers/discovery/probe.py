"""One tiny call, to see whether a model can be used."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing

from chatd.catalog.models.probe import ProbeResult
from chatd.domain.ids import UserId
from chatd.errors import ProviderError
from chatd.kit.clock import Clock, milliseconds
from chatd.kit.text import shortened
from chatd.providers.events import TextDelta
from chatd.providers.model import Models, Request, question
from chatd.providers.transport.tap import Sending

# Some models need this much to think before they say a word.
OUTPUT_TOKENS = 1024
# From one sign of life to the next: words, thoughts, or only a ping. And for all of it.
SILENCE_SECONDS = 60.0
TOTAL_SECONDS = 300.0
_SHOWN_CHARACTERS = 80

_QUESTION = question("Answer with the single word: ready")
# In a chat these are tried again and have no advice. The administrator who tests a model needs it.
_ADVICE = {
    "transport": "Check its address, and whether it runs.",
    "invalid_response": "Check its address: something else may answer there.",
}
# No user's: the provider's own key counts.
_NO_USER = UserId("")


class ModelProber:
    """A `Prober`."""

    def __init__(self, models: Models, clock: Clock) -> None:
        self._models = models
        self._clock = clock

    async def probe(self, model_name: str) -> ProbeResult:
        begun = self._clock.monotonic()
        kind: str | None = None
        limit = asyncio.timeout(None)
        pulse = _Pulse(limit)
        try:
            async with limit:
                pulse.beat()
                words = shortened(" ".join((await self._ask(model_name, pulse)).split()), _SHOWN_CHARACTERS)
            says = f"It answered: {words}" if words else "It answered, without words."
        except ProviderError as error:
            kind = error.kind
            advised = f"{error.message} {_ADVICE[error.fault]}" if error.fault in _ADVICE else error.message
            says = f"{advised} ({error.detail})" if error.detail else advised
        except TimeoutError:
            kind, says = "timeout", pulse.why_it_ended()
        took = milliseconds(self._clock.monotonic() - begun)
        return ProbeResult(model=model_name, is_well=kind is None, says=says, milliseconds=took, kind=kind)

    async def _ask(self, model_name: str, pulse: "_Pulse") -> str:
        model = await self._models.find(model_name, _NO_USER)
        request = Request(messages=[_QUESTION], max_output_tokens=OUTPUT_TOKENS, tap=pulse)
        said = []
        async with aclosing(model.stream(request)) as stream:
            async for events in stream:
                # Not every model is behind a wire.
                pulse.beat()
                said += [event.text for event in events if isinstance(event, TextDelta)]
        return "".join(said)


class _Pulse:
    """A `Tap` and its `Exchange`: whatever comes over the wire moves the limit, up to the total."""

    def __init__(self, limit: asyncio.Timeout) -> None:
        self._limit = limit
        self._now = asyncio.get_running_loop().time
        self._end = self._now() + TOTAL_SECONDS

    def beat(self) -> None:
        if not self._limit.expired():
            self._limit.reschedule(min(self._now() + SILENCE_SECONDS, self._end))

    def why_it_ended(self) -> str:
        if self._now() < self._end:
            return f"Nothing came for {SILENCE_SECONDS:g} seconds."
        return f"It answers, and had not finished after {TOTAL_SECONDS:g} seconds."

    def sent(self, sending: Sending) -> "_Pulse":  # noqa: ARG002
        return self

    def answered(self, status: int, headers: Mapping[str, str]) -> None:  # noqa: ARG002
        self.beat()

    def came(self, data: bytes) -> None:  # noqa: ARG002
        self.beat()

    def ended(self, error: BaseException | None = None) -> None:
        """Nothing to do: the probe returns the error."""
