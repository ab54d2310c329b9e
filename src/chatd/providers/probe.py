"""One tiny call, to see whether a model can be used."""

import asyncio
from contextlib import aclosing

from chatd.catalog.probe import ProbeResult
from chatd.domain.ids import UserId
from chatd.errors import ProviderError
from chatd.kit.clock import Clock
from chatd.kit.text import shortened
from chatd.providers.events import TextDelta
from chatd.providers.model import Models, Request, question

# Some models need this much to think before they say a word.
OUTPUT_TOKENS = 1024
SECONDS_MAX = 60.0
_SHOWN_CHARACTERS = 80

_QUESTION = question("Answer with the single word: ready")
# In a chat these are tried again, so nobody is told what to do. Whoever has just added a model wants to know.
_ADVICE = {
    "transport": "Check its address, and whether it runs.",
    "invalid_response": "Check its address: something else may answer there.",
}
# Nobody's: the provider's own key counts.
_NOBODY = UserId("")


class ModelProber:
    """A `Prober`."""

    def __init__(self, models: Models, clock: Clock) -> None:
        self._models = models
        self._clock = clock

    async def probe(self, model_name: str) -> ProbeResult:
        begun = self._clock.now_micros()
        kind: str | None = None
        try:
            async with asyncio.timeout(SECONDS_MAX):
                words = shortened(" ".join((await self._ask(model_name)).split()), _SHOWN_CHARACTERS)
            says = f"It answered: {words}" if words else "It answered, without words."
        except ProviderError as error:
            kind = error.kind
            advised = f"{error.message} {_ADVICE[error.fault]}" if error.fault in _ADVICE else error.message
            says = f"{advised} ({error.detail})" if error.detail else advised
        except TimeoutError:
            kind, says = "timeout", f"No answer came within {SECONDS_MAX:g} seconds."
        milliseconds = (self._clock.now_micros() - begun) // 1000
        return ProbeResult(
            model=model_name, is_well=kind is None, says=says, milliseconds=milliseconds, kind=kind
        )

    async def _ask(self, model_name: str) -> str:
        model = await self._models.find(model_name, _NOBODY)
        request = Request(messages=[_QUESTION], max_output_tokens=OUTPUT_TOKENS)
        said = []
        async with aclosing(model.stream(request)) as stream:
            async for events in stream:
                said += [event.text for event in events if isinstance(event, TextDelta)]
        return "".join(said)
